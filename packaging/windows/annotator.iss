; Installer for Windows, made by Inno Setup 6.3 or later: iscc /DVersion=1.2.3 packaging\windows\annotator.iss
; It installs for one person, or for everybody where an administrator says so.
#ifndef Version
  #error Give the version: iscc /DVersion=1.2.3
#endif

[Setup]
AppId={{6F3C1B52-6D0B-4E8C-9C55-6E2A4C1E7A10}
AppName=Annotator
AppVersion={#Version}
AppPublisher=The Annotator project
DefaultDirName={autopf}\Annotator
DefaultGroupName=Annotator
DisableProgramGroupPage=yes
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
ChangesAssociations=yes
ChangesEnvironment=yes
LicenseFile=..\..\LICENSE
SetupIconFile=..\..\build\icons\annotator.ico
UninstallDisplayIcon={app}\annotatorw.exe
OutputDir=..\..\dist
OutputBaseFilename=annotator-{#Version}-setup
Compression=lzma2
SolidCompression=yes
WizardStyle=modern

[Tasks]
Name: "desktopicon"; Description: "Make a desktop icon"; Flags: unchecked
Name: "path"; Description: "Find the command annotator in every terminal"

; Modules of an earlier version would be found beside the new ones.
[InstallDelete]
Type: filesandordirs; Name: "{app}\_internal"

[Files]
Source: "..\..\dist\annotator\*"; DestDir: "{app}"; Flags: ignoreversion recursesubdirs createallsubdirs

[Icons]
Name: "{group}\Annotator"; Filename: "{app}\annotatorw.exe"
Name: "{autodesktop}\Annotator"; Filename: "{app}\annotatorw.exe"; Tasks: desktopicon

[Registry]
Root: HKA; Subkey: "Software\Classes\.annotator"; ValueType: string; ValueData: "Annotator.Project"; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\Annotator.Project"; ValueType: string; ValueData: "Annotator project"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\Annotator.Project\DefaultIcon"; ValueType: string; ValueData: "{app}\annotatorw.exe,0"
Root: HKA; Subkey: "Software\Classes\Annotator.Project\shell\open\command"; ValueType: string; ValueData: """{app}\annotatorw.exe"" open ""%1"""
Root: HKA; Subkey: "{code:PathKey}"; ValueType: expandsz; ValueName: "Path"; ValueData: "{olddata};{app}"; Tasks: path; Check: NeedsPath

[Run]
Filename: "{app}\annotatorw.exe"; Description: "Start Annotator"; Flags: nowait postinstall skipifsilent

[Code]
// Where the search path is kept, in HKA: of everybody, or of one person.
function PathKey(Param: string): string;
begin
  if IsAdminInstallMode then
    Result := 'SYSTEM\CurrentControlSet\Control\Session Manager\Environment'
  else
    Result := 'Environment';
end;

function NeedsPath: Boolean;
var
  Path: string;
begin
  if not RegQueryStringValue(HKA, PathKey(''), 'Path', Path) then
    Path := '';
  Result := Pos(';' + Lowercase(ExpandConstant('{app}')) + ';', ';' + Lowercase(Path) + ';') = 0;
end;

// What the installer added to the path goes with the program; everything else in it stays as it is.
procedure CurUninstallStepChanged(Step: TUninstallStep);
var
  Path, Folder: string;
  Place: Integer;
begin
  if Step <> usPostUninstall then
    exit;
  if not RegQueryStringValue(HKA, PathKey(''), 'Path', Path) then
    exit;
  Folder := ';' + Lowercase(ExpandConstant('{app}')) + ';';
  Path := ';' + Path + ';';
  Place := Pos(Folder, Lowercase(Path));
  if Place = 0 then
    exit;
  Delete(Path, Place, Length(Folder) - 1);
  Path := Copy(Path, 2, Length(Path) - 2);
  RegWriteExpandStringValue(HKA, PathKey(''), 'Path', Path);
end;
