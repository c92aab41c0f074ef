# Make the bundle, a zip and an installer, on Windows with Python 3.11 or later. Start it from the project's folder:
#   powershell -ExecutionPolicy Bypass -File packaging\windows\build.ps1
# The installer needs Inno Setup 6.3 or later; without it there is the zip alone. With SIGN_THUMBPRINT set to the thumbprint
# of a certificate in your store, programs and installer are signed; signtool comes with the Windows SDK, and is on the
# path in a developer's command prompt.
$ErrorActionPreference = "Stop"
Set-Location (Join-Path $PSScriptRoot "../..")
$version = (Select-String -Path annotator/__init__.py -Pattern '^__version__ = "(.*)"$').Matches[0].Groups[1].Value

function Invoke-Checked {
    param([string]$Program, [string[]]$Arguments)
    & $Program @Arguments
    if ($LASTEXITCODE -ne 0) { throw "$Program failed with $LASTEXITCODE" }
}

function Set-Signature {
    param([string]$Path)
    if ($env:SIGN_THUMBPRINT) {
        Invoke-Checked signtool @("sign", "/sha1", $env:SIGN_THUMBPRINT, "/fd", "sha256", "/td", "sha256",
            "/tr", "http://timestamp.digicert.com", $Path)
    }
}

# Inno Setup's own installer does not put it on the path.
$iscc = @(
    (Get-Command iscc -ErrorAction SilentlyContinue).Source,
    "${env:ProgramFiles(x86)}\Inno Setup 6\ISCC.exe",
    "$env:ProgramFiles\Inno Setup 6\ISCC.exe",
    "$env:LOCALAPPDATA\Programs\Inno Setup 6\ISCC.exe"
) | Where-Object { $_ -and (Test-Path $_) } | Select-Object -First 1

if (-not (Test-Path build/venv)) { Invoke-Checked py @("-3", "-m", "venv", "build/venv") }
$python = "build/venv/Scripts/python.exe"
Invoke-Checked $python @("-m", "pip", "install", "--quiet", "--require-hashes", "-r", "packaging/requirements.lock")
if (-not (Test-Path build/venv-notices)) { Invoke-Checked py @("-3", "-m", "venv", "build/venv-notices") }
$notices = "build/venv-notices/Scripts/python.exe"
Invoke-Checked $notices @("-m", "pip", "install", "--quiet", "--require-hashes", "-r", "packaging/requirements-notices.lock")
Invoke-Checked $notices @("packaging/bundle/notices.py", $python, "build/notices")
Invoke-Checked $python @("-m", "pip", "install", "--quiet", "--require-hashes", "-r", "packaging/requirements-bundle.lock")
Invoke-Checked $python @("-m", "pip", "install", "--quiet", "--no-deps", "--editable", ".")
Invoke-Checked $python @("packaging/bundle/icons.py", "build/icons")
Invoke-Checked $python @("-m", "PyInstaller", "--noconfirm", "--log-level", "ERROR", "--distpath", "dist",
    "--workpath", "build/freeze", "packaging/bundle/annotator.spec")

$env:QT_QPA_PLATFORM = "offscreen"
if ((& dist/annotator/annotator.exe --version) -ne "annotator $version") { throw "The bundle has another version." }
Invoke-Checked dist/annotator/annotator.exe @("doctor")
Invoke-Checked dist/annotator/annotator.exe @("demo", "--headless", "--dir", "build/demo")
Set-Signature dist/annotator/annotator.exe
Set-Signature dist/annotator/annotatorw.exe

Compress-Archive -Force -Path dist/annotator -DestinationPath "dist/annotator-$version-windows.zip"
if ($iscc) {
    Invoke-Checked $iscc @("/Qp", "/DVersion=$version", "packaging/windows/annotator.iss")
    Set-Signature "dist/annotator-$version-setup.exe"
} else {
    Write-Warning "Inno Setup 6 was not found, so there is no installer, only the zip."
}
