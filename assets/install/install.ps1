# Installs warpscope on Windows (x86-64): downloads the program, checks its SHA-256
# checksum, and puts it into a folder on this user's PATH.
#
#     powershell -ExecutionPolicy Bypass -File install.ps1 [-Version VERSION] [-To FOLDER] [-From URL] [-NoPath]
param(
    # A release such as 0.2.0; the newest by default.
    [string]$Version = "latest",
    # Where the program goes.
    [string]$To = (Join-Path $env:LOCALAPPDATA "Programs\warpscope"),
    # Folder of the archives, in place of a release.
    [string]$From = "",
    # Leave this user's PATH as it is.
    [switch]$NoPath
)
$ErrorActionPreference = "Stop"
$ProgressPreference = "SilentlyContinue"

# Address of the repository. A release fills it in from `repository` in Cargo.toml.
$repository = ""

if (-not $From) {
    if (-not $repository) {
        throw "this copy does not know its repository: take install.ps1 from a release, or use -From URL"
    }
    $From = if ($Version -eq "latest") { "$repository/releases/latest/download" }
            else { "$repository/releases/download/v$($Version.TrimStart('v'))" }
}
$From = $From.TrimEnd("/")
if (-not [Environment]::Is64BitOperatingSystem) {
    throw "there is no archive for 32-bit Windows: build with cargo install"
}

$name = "warpscope-x86_64-pc-windows-gnu"
$place = Join-Path ([IO.Path]::GetTempPath()) ("warpscope-" + [Guid]::NewGuid())
New-Item -ItemType Directory -Path $place | Out-Null
try {
    # Windows PowerShell 5 starts with older protocols.
    [Net.ServicePointManager]::SecurityProtocol =
        [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
    $archive = Join-Path $place "$name.zip"
    Invoke-WebRequest -UseBasicParsing -Uri "$From/$name.zip" -OutFile $archive
    Invoke-WebRequest -UseBasicParsing -Uri "$From/$name.zip.sha256" -OutFile "$archive.sha256"
    $expected = ((Get-Content -Raw "$archive.sha256").Trim() -split "\s+")[0]
    $found = (Get-FileHash -Algorithm SHA256 $archive).Hash
    # Without regard to case, as PowerShell compares.
    if (-not $expected -or $found -ne $expected) {
        throw "the checksum of $name.zip is $found, the release says ${expected}: nothing was installed; download again"
    }
    Expand-Archive -Path $archive -DestinationPath $place
    $program = Join-Path $place "$name\warpscope.exe"
    & $program --version | Out-Null
    if ($LASTEXITCODE -ne 0) { throw "the program does not start on this machine: build with cargo install" }
    New-Item -ItemType Directory -Force -Path $To | Out-Null
    Copy-Item -Force $program (Join-Path $To "warpscope.exe")
} finally {
    Remove-Item -Recurse -Force $place
}
Write-Output "installed $(& (Join-Path $To 'warpscope.exe') --version) in $To"

$path = [Environment]::GetEnvironmentVariable("Path", "User")
if (-not $NoPath -and ($path -split ";") -notcontains $To) {
    $new = (@($path, $To) | Where-Object { $_ }) -join ";"
    [Environment]::SetEnvironmentVariable("Path", $new, "User")
    Write-Output "added $To to your PATH; open a new terminal to start warpscope by name"
}
