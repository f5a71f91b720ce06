//! What a command finds in its environment: what every program needs, and what the configuration gives it. The gateway's own variables may
//! have secrets.

/// The variables that name no secret.
const USUAL: [&str; 25] = [
    "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
    // Those of Windows.
    "APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMFILES",
    "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE",
];

/// These variables of the gateway, and then the command's own.
pub fn variables(own: &[(String, String)]) -> impl Iterator<Item = (std::ffi::OsString, std::ffi::OsString)> {
    let usual = USUAL.iter().filter_map(|name| Some(((*name).into(), std::env::var_os(name)?)));
    usual.chain(own.iter().map(|(name, value)| (name.into(), value.into())))
}
