
"use strict";
// The page of a student: shows what the server sends, and sends one vote at a time. Text is
// only ever set as text.
(() => {
  const $ = id => document.getElementById(id);
  const SURE = ["a guess", "fairly sure", "sure"];
  const STATUS = {
    lobby: "Welcome. The first question comes soon.",
    ask: "Read the question. The vote opens soon.",
    first: "First vote: answer by yourself.",
    discuss: "Discuss with your neighbour: say why you voted as you did.",
    second: "Second vote: answer again.",
    closed: "The vote is closed. The result comes soon.",
    reveal: "The result.",
    explain: "The explanation.",
    ended: "The class has ended. Thank you.",
  };
  const VOTED = ["First vote: yours is counted.", "Second vote: yours is counted."];
  const COUNTING = "The emulator counts what the kernels do. The explanation follows in a moment.";
  let state = null, shown = "", place = "", chart = 0, source = null, draft = {}, first = true;

  /** An element with attributes and children; text becomes text. */
  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const draw = (name, attributes = {}, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  /** Text with `code` in it, as nodes. */
  const rich = text => text.split("`").map((part, at) => at % 2 ? make("code", {}, part) : part);
  const letter = at => String.fromCharCode(65 + at);
  const set = (id, text) => { if ($(id).textContent !== text) $(id).textContent = text; };

  const send = async (path, body) => {
    const answer = await fetch(path, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
    const json = await answer.json();
    if (!answer.ok) throw new Error(json.error);
    return json;
  };
  const problem = text => {
    let place = $("problem");
    if (!place) {
      place = make("p", { id: "problem", class: "problem", role: "alert" });
      $("view").append(place);
    }
    place.textContent = text;
    place.scrollIntoView({ block: "nearest" });
  };
  const words = error => error instanceof TypeError
    ? "No answer from the teacher's computer. Check the network, then try again." : error.message;

  // ---- joining ----
  const join = async (code, name) => {
    try {
      receive(await send("/join", name ? { code, name } : { code }));
      listen();
    } catch (error) {
      form(code);
      problem(words(error));
    }
  };
  const form = code => {
    shown = "";
    set("status", "Join the class");
    const field = make("input", {
      id: "code", type: "text", maxlength: "4", autocomplete: "off", autocapitalize: "characters",
      spellcheck: "false", required: "",
    });
    field.value = code || "";
    const parts = [make("label", { for: "code" }, "Room code on the teacher's screen"), field];
    const name = make("input", { id: "name", type: "text", maxlength: "40", autocomplete: "name" });
    if (document.body.dataset.names === "yes") {
      parts.push(make("label", { for: "name" }, "Your name (optional; stored with your votes)"), name);
    }
    const whole = make("form", {}, ...parts, make("button", { type: "submit" }, "Join"));
    whole.addEventListener("submit", event => {
      event.preventDefault();
      join(field.value, name.value);
    });
    $("view").replaceChildren(whole);
  };

  // ---- listening ----
  const listen = () => {
    if (source) source.close();
    source = new EventSource("/events");
    source.onmessage = event => receive(JSON.parse(event.data));
    source.onerror = () => {
      set("status", "Connection lost. Trying again …");
      if (source.readyState === EventSource.CLOSED) setTimeout(start, 2000);
    };
  };
  const start = async () => {
    try {
      // The server says with the page whether this browser has a seat; later it has to be asked.
      const answer = first && document.body.dataset.seat === "no" ? { ok: false } : await fetch("/state");
      first = false;
      if (answer.ok) {
        receive(await answer.json());
        return listen();
      }
      const code = decodeURIComponent(location.hash.slice(1)).slice(0, 4);
      if (code && document.body.dataset.names !== "yes") return join(code);
      form(code);
    } catch {
      set("status", "Connection lost. Trying again …");
      setTimeout(start, 2000);
    }
  };
  const receive = message => {
    state = message;
    render();
  };

  // ---- showing ----
  const render = () => {
    const { class: it, you } = state;
    set("title", it.title);
    set("where", it.question ? `Question ${it.question.index + 1} of ${it.question.of}` : "");
    const voted = it.vote !== null && you && you.votes[it.vote];
    const measuring = it.phase === "reveal" && it.result && !it.result.headline;
    set("status", voted ? VOTED[it.vote] : measuring ? "The measurement is shown now. Watch the points appear." : STATUS[it.phase]);
    const count = it.vote === null ? "" : ` · ${it.voted} voted`;
    set("count", it.phase === "ended" ? "" : `${it.seats} here${count} · your seat: ${you ? you.seat : "–"}`);
    const vote = JSON.stringify(you && you.votes);
    const key = JSON.stringify([it.phase, it.question && it.question.index, it.result, vote]);
    if (key !== shown) {
      shown = key;
      const question = `${it.question && it.question.index}/${it.vote}`;
      if (draft.question !== question) draft = { question };
      const parts = [];
      if (it.question) {
        if (it.phase === "ask") parts.push(...it.question.context.map(text => make("p", {}, ...rich(text))));
        parts.push(make("h2", { id: "question" }, ...rich(it.question.text)));
        if (!it.result) parts.push(make("figure", { id: "chart", hidden: "" }));
      }
      if (it.vote !== null && you) parts.push(...voting(it, you));
      else if (it.result) parts.push(...result(it, you));
      else if (it.question) parts.push(...reading(it, you));
      chart = 0;
      const had = document.activeElement && document.activeElement.id;
      $("view").replaceChildren(...parts);
      if (had && $(had)) $(had).focus();
      // Another phase begins at its top; news within one leave the page where it is.
      const now = JSON.stringify([it.phase, it.question && it.question.index]);
      if (place && place !== now) scrollTo(0, 0);
      place = now;
    }
    if (it.chart && it.chart !== chart) {
      chart = it.chart;
      load();
    }
  };
  const name = (answers, answer) => answers.choice
    ? `${letter(answer.choice)}. ${answers.choice[answer.choice].replaceAll("`", "")}`
    : answer.curve.map((height, at) => `${answers.curve.sizes[at]}: ${answers.curve.heights[height]}`).join(", ");
  const own = (it, you) => {
    const [first, second] = you ? you.votes : [];
    const right = it.result ? it.result.right : null;
    const mark = ({ answer }) => right === null ? "" : answer.choice === right ? ", right" : ", not right";
    return [["Your first vote", first], ["Your second vote", second]]
      .filter(([, vote]) => vote)
      .map(([title, vote]) => make("p", {}, `${title}: `, make("strong", {}, name(it.question.answers, vote.answer)),
        ` (${SURE[vote.confidence - 1]}${mark(vote)})`));
  };
  const reading = (it, you) => {
    const answers = it.question.answers;
    const list = answers.choice && it.phase === "ask"
      ? [make("ol", { type: "A" }, ...answers.choice.map(text => make("li", {}, ...rich(text))))] : [];
    return [...list, ...own(it, you)];
  };

  // ---- voting ----
  const voting = (it, you) => {
    const given = you.votes[it.vote];
    if (given && !draft.changed) Object.assign(draft, { answer: given.answer, confidence: given.confidence });
    const answers = it.question.answers;
    const ballot = make("form", { id: "ballot" });
    ballot.append(answers.choice ? choices(answers.choice) : sliders(answers.curve));
    const sure = make("div", { class: "sure" });
    SURE.forEach((text, at) => sure.append(radio("sure", at + 1, text, draft.confidence === at + 1,
      () => { draft.confidence = at + 1; draft.changed = true; })));
    ballot.append(make("fieldset", {}, make("legend", {}, "How sure are you?"), sure));
    if (given) ballot.append(make("p", { id: "given" }, "Your vote is counted. You can change it until the vote closes."));
    ballot.append(make("button", { type: "submit", id: "send" }, given ? "Change vote" : "Vote"));
    ballot.addEventListener("submit", async event => {
      event.preventDefault();
      if (!draft.answer || !draft.confidence) {
        return problem(draft.answer ? "Say how sure you are, then vote." : "Choose an answer, then vote.");
      }
      try {
        const body = { question: it.question.index, round: it.vote, answer: draft.answer, confidence: draft.confidence };
        const answer = await send("/vote", body);
        draft.changed = false;
        receive(answer);
      } catch (error) {
        problem(words(error));
      }
    });
    return [ballot];
  };
  const radio = (group, value, text, checked, change) => {
    const input = make("input", { type: "radio", name: group, value: String(value), id: `${group}${value}` });
    input.checked = checked;
    input.addEventListener("change", change);
    return make("label", { class: "choice", for: input.id }, input, make("span", {}, ...rich(text)));
  };
  const choices = texts => {
    const whole = make("fieldset", { "aria-labelledby": "question" });
    texts.forEach((text, at) => whole.append(radio("answer", at, `${letter(at)}. ${text}`,
      Boolean(draft.answer) && draft.answer.choice === at,
      () => { draft.answer = { choice: at }; draft.changed = true; })));
    return whole;
  };
  const sliders = grid => {
    const middle = Math.floor(grid.heights.length / 2);
    if (!draft.answer) draft.answer = { curve: grid.sizes.map(() => middle) };
    const curve = draft.answer.curve;
    const whole = make("fieldset", {}, make("legend", {}, `Draw the curve: ${grid.up} at each ${grid.across}`));
    const picture = plot(grid, [[curve, "sketch"]], "Your curve");
    whole.append(picture);
    grid.sizes.forEach((size, at) => {
      const output = make("output", { for: `size${at}` }, grid.heights[curve[at]]);
      const slider = make("input", {
        type: "range", id: `size${at}`, min: "0", max: String(grid.heights.length - 1), step: "1",
        "aria-valuetext": grid.heights[curve[at]],
      });
      slider.value = String(curve[at]);
      slider.addEventListener("input", () => {
        curve[at] = Number(slider.value);
        draft.changed = true;
        output.textContent = grid.heights[curve[at]];
        slider.setAttribute("aria-valuetext", grid.heights[curve[at]]);
        picture.querySelector("polyline").setAttribute("points", points(grid, curve));
      });
      whole.append(make("div", { class: "row" }, make("label", { for: `size${at}` }, size), slider, output));
    });
    return whole;
  };

  // ---- drawn curves ----
  const BOX = { left: 70, right: 350, top: 10, bottom: 170 };
  const points = (grid, curve) => curve.map((height, at) => {
    const x = BOX.left + (BOX.right - BOX.left) * at / (grid.sizes.length - 1);
    const y = BOX.bottom - (BOX.bottom - BOX.top) * height / (grid.heights.length - 1);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  }).join(" ");
  const plot = (grid, curves, label) => {
    const last = list => list[list.length - 1];
    const text = (x, y, anchor, words) => draw("text", { x, y, class: "tick", "text-anchor": anchor }, words);
    const svg = draw("svg", { viewBox: "0 0 360 200", role: "img", "aria-label": label },
      draw("rect", {
        class: "frame", x: BOX.left, y: BOX.top,
        width: BOX.right - BOX.left, height: BOX.bottom - BOX.top,
      }),
      text(BOX.left - 6, BOX.top + 10, "end", last(grid.heights)),
      text(BOX.left - 6, BOX.bottom, "end", grid.heights[0]),
      text(BOX.left, BOX.bottom + 18, "start", grid.sizes[0]),
      text(BOX.right, BOX.bottom + 18, "end", last(grid.sizes)),
      ...curves.map(([curve, kind]) => draw("polyline", { class: kind, points: points(grid, curve) })));
    return make("div", { class: "plot" }, svg);
  };

  // ---- results ----
  const result = (it, you) => {
    const { headline, explanation, tallies, right } = it.result;
    const parts = [];
    if (headline) parts.push(make("p", { class: "mine" }, ...rich(headline)));
    if (explanation) {
      parts.push(make("h3", {}, "Explanation"), ...(explanation.length ? explanation : [COUNTING])
        // The sentence above begins it.
        .filter(text => !headline.endsWith(text))
        .map(text => make("p", {}, ...rich(text))));
    }
    parts.push(make("figure", { id: "chart", hidden: "" }));
    const answers = it.question.answers;
    parts.push(...(answers.choice ? distribution(answers.choice, tallies, right, you) : bundles(answers.curve, tallies, you)));
    parts.push(...own(it, you));
    return parts;
  };
  /** Each answer with a bar for each round that had votes. */
  const distribution = (texts, tallies, right, you) => {
    const counts = tallies.map(tally => tally.choice.map(count => count.reduce((sum, one) => sum + one, 0)));
    const sums = counts.map(list => list.reduce((sum, one) => sum + one, 0));
    const voted = [0, 1].filter(round => sums[round]);
    const row = (round, at) => {
      const share = counts[round][at] / sums[round];
      const bar = make("span", { class: "bar" });
      bar.style.width = `${(100 * share).toFixed(1)}%`;
      const mine = you && you.votes[round] && you.votes[round].answer.choice === at ? " · you" : "";
      return make("p", { class: round ? "round second" : "round first" }, make("span", {}, round ? "Second" : "First"),
        make("span", { class: "track" }, bar), make("span", {}, `${counts[round][at]} (${Math.round(100 * share)} %)${mine}`));
    };
    const many = voted.map(round => `${sums[round]} in the ${round ? "second" : "first"} vote`).join(", ");
    return [make("h3", {}, `Votes of the class: ${many || "none"}`),
      make("ul", { class: "votes" }, ...texts.map((text, at) => make("li", at === right ? { class: "right" } : {},
        make("p", {}, at === right ? "✓ " : "", `${letter(at)}. `, ...rich(text), at === right ? " (right)" : ""),
        ...voted.map(round => row(round, at)))))];
  };
  const bundles = (grid, tallies, you) => tallies.map(({ curve }, round) => {
    const mine = you && you.votes[round] && you.votes[round].answer.curve;
    const lines = [...curve.curves.map(one => [one, "bundle"]), ...(mine ? [[mine, "own"]] : []),
      ...(curve.median.length ? [[curve.median, "median"]] : [])];
    const median = curve.median.map((height, at) => `${grid.sizes[at]}: ${grid.heights[Math.round(height)]}`).join(", ");
    const title = `${round ? "Second" : "First"} vote: ${curve.curves.length} curves`;
    return make("figure", {}, plot(grid, lines, title),
      make("figcaption", {}, `${title}; the thick line is the median${mine ? ", the dashed line is yours" : ""}. ${median}`));
  });
  const load = async () => {
    const asked = chart;
    try {
      const answer = await fetch("/chart");
      const place = $("chart");
      if (answer.status !== 200 || !place || asked !== chart) return;
      const svg = new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement;
      if (svg.localName !== "svg") return;
      place.hidden = false;
      place.replaceChildren(make("div", { class: "plot" }, document.importNode(svg, true)));
    } catch {
      // The next change brings the chart again.
    }
  };
  start();
})();
