//! `sluice certificates`: an authority of one's own, the broker's certificate, a password for each user.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use serde_json::json;
use sluice_runtime::exit::Failure;

use crate::context::Context;

/// The authority's key: whoever has it makes certificates that devices trust.
const CA_KEY: &str = "ca.key";
/// Its certificate, for everybody who checks others.
const CA: &str = "ca.pem";
/// The broker's key and certificate in one file, as Kafka takes them.
const BROKER: &str = "kafka.pem";
/// A file for each user, named so, with its password.
const USERS: &str = "users";
/// Random bytes of a password.
const PASSWORD_BYTES: usize = 24;
/// For the owner only.
const PRIVATE: u32 = 0o600;
/// Containers read these as users of their own; that the folder is closed keeps others of this machine out.
const MOUNTED: u32 = 0o644;

/// Options of `certificates`.
#[derive(Debug, Args)]
pub struct Options {
    /// The folder. What is in it already is kept, but for the broker's certificate.
    #[arg(long, value_name = "FOLDER", default_value = "secrets")]
    dir: PathBuf,
    /// A name or address by which clients reach the broker; may be given several times.
    #[arg(long = "name", value_name = "HOST", required = true)]
    names: Vec<String>,
    /// A user, such as a device; may be given several times.
    #[arg(long = "user", value_name = "USER", value_parser = user)]
    users: Vec<String>,
}

/// A user's name is the name of a file, and stands in settings.
fn user(text: &str) -> Result<String, String> {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if text.is_empty() || !text.chars().all(is_fine) {
        return Err("use letters, digits, `-`, `_`".to_owned());
    }
    Ok(text.to_owned())
}

/// Runs the command.
pub fn run(context: &Context, options: &Options) -> Result<()> {
    make(options)?;
    let Options { dir, names, users } = options;
    context.print(
        format!("{}: {BROKER} for {}, {} user(s)", dir.display(), names.join(", "), users.len()),
        &json!({ "dir": dir, "names": names, "users": users }),
    )
}

fn make(Options { dir, names, users }: &Options) -> Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)
        .with_context(|| format!("can't make {}", dir.display()))?;
    fs::create_dir_all(dir.join(USERS))?;
    let issuer = authority(dir)?;
    let key = KeyPair::generate()?;
    let certificate = broker(names)?.signed_by(&key, &issuer)?;
    replace(&dir.join(BROKER), &(key.serialize_pem() + &certificate.pem()), MOUNTED)?;
    for user in users {
        let path = dir.join(USERS).join(user);
        if !path.exists() {
            write(&path, &password()?, MOUNTED)?;
        }
    }
    Ok(())
}

/// The authority of the folder; a new one where it has none.
fn authority(dir: &Path) -> Result<Issuer<'static, KeyPair>> {
    let path = dir.join(CA_KEY);
    let key = if path.exists() {
        let pem =
            fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
        KeyPair::from_pem(&pem)
            .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?
    } else {
        let key = KeyPair::generate()?;
        write(&path, &key.serialize_pem(), PRIVATE)?;
        key
    };
    let certificate = dir.join(CA);
    if !certificate.exists() {
        write(&certificate, &authority_itself()?.self_signed(&key)?.pem(), MOUNTED)?;
    }
    Ok(Issuer::new(authority_itself()?, key))
}

fn authority_itself() -> Result<CertificateParams> {
    let mut params = CertificateParams::new(Vec::new())?;
    params.distinguished_name.push(DnType::CommonName, "Sluice authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    lasts(&mut params);
    Ok(params)
}

fn broker(names: &[String]) -> Result<CertificateParams> {
    let mut params = CertificateParams::new(names)
        .map_err(|error| Failure::usage(format!("--name: {error}")))?;
    params.distinguished_name.push(DnType::CommonName, "Sluice broker");
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    lasts(&mut params);
    Ok(params)
}

/// Both are made anew by hand, and a device whose clock starts in 1970 must wait for the network's time anyhow.
fn lasts(params: &mut CertificateParams) {
    params.not_before = date_time_ymd(2026, 1, 1);
    params.not_after = date_time_ymd(2046, 1, 1);
}

fn password() -> Result<String> {
    let mut bytes = [0; PASSWORD_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("no random numbers: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Writes a file that must not be there yet, so that nobody has it open with other rights.
fn write(path: &Path, text: &str, mode: u32) -> Result<()> {
    let mut options = OpenOptions::new();
    let file = options.write(true).create_new(true).mode(mode).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .with_context(|| format!("can't write {}", path.display()))
}

fn replace(path: &Path, text: &str, mode: u32) -> Result<()> {
    if path.exists() {
        fs::remove_file(path).with_context(|| format!("can't replace {}", path.display()))?;
    }
    write(path, text, mode)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;
    use std::process::Command;

    fn made(dir: &Path, users: &[&str]) {
        let names = vec!["cloud".to_owned(), "192.0.2.10".to_owned()];
        let users = users.iter().map(|user| (*user).to_owned()).collect();
        make(&Options { dir: dir.to_owned(), names, users }).unwrap();
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn the_authority_and_passwords_are_kept_and_the_broker_s_certificate_is_new() {
        let scratch = tempfile::tempdir().unwrap();
        let dir = scratch.path().join("secrets");
        made(&dir, &["pi-1"]);
        let files = [CA_KEY, CA, "users/pi-1", BROKER];
        let read = || files.map(|name| fs::read_to_string(dir.join(name)).unwrap());
        let first = read();
        made(&dir, &["pi-1", "pi-2"]);
        let second = read();
        assert_eq!(first[..3], second[..3]);
        assert_ne!(first[3], second[3]);
        assert_eq!(first[2].len(), 2 * PASSWORD_BYTES);
        assert_ne!(fs::read_to_string(dir.join("users/pi-2")).unwrap(), first[2]);
        assert_eq!((mode(&dir), mode(&dir.join(CA_KEY))), (0o700, PRIVATE));
    }

    #[test]
    fn openssl_trusts_the_broker_s_certificate_for_its_names_only() {
        let scratch = tempfile::tempdir().unwrap();
        made(scratch.path(), &[]);
        let verify = |option: &str, name: &str| {
            let mut openssl = Command::new("openssl");
            openssl.args(["verify", "-CAfile"]).arg(scratch.path().join(CA));
            openssl.args([option, name]).arg(scratch.path().join(BROKER));
            openssl.output().unwrap().status.success()
        };
        assert!(verify("-verify_hostname", "cloud"));
        assert!(verify("-verify_ip", "192.0.2.10"));
        assert!(!verify("-verify_hostname", "other"));
        assert!(!verify("-verify_ip", "192.0.2.11"));
    }

    #[test]
    fn names_of_users_are_names_of_files() {
        assert_eq!(user("pi-1"), Ok("pi-1".to_owned()));
        for bad in ["", "a/b", "..", "a b", "a\n"] {
            assert!(user(bad).is_err(), "{bad}");
        }
    }
}
