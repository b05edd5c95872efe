//! A store and its clients over real HTTP on loopback.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};

use sluice_artifacts::{Cache, Client, ClientError, Digest, Limits, Retry, Store, StoreError};
use sluice_model::Artifact;
use tempfile::TempDir;

/// A store that is served until the runtime ends.
struct Served {
    store: Store,
    url: String,
    dir: TempDir,
}

async fn serve(limits: Limits, token: Option<&str>) -> Served {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), limits).unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = sluice_artifacts::serve::serve(
        listener,
        store.clone(),
        token.map(str::to_owned),
        std::future::pending(),
    );
    tokio::spawn(server);
    Served { store, url, dir }
}

impl Served {
    fn client(&self) -> Client {
        Client::new(&self.url, None).unwrap()
    }

    /// Puts bytes as the artifact of `digest`, which they need not be.
    async fn put(&self, digest: &Digest, bytes: &[u8]) -> Result<bool, ClientError> {
        let file = self.dir.path().join("to-put");
        std::fs::write(&file, bytes).unwrap();
        self.client().put(digest, &file).await
    }
}

fn own_store() -> (TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), Limits::default()).unwrap();
    (dir, store)
}

/// Some bytes that do not repeat within a chunk.
fn sample(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 31 + i / 251) as u8).collect()
}

fn status(error: ClientError) -> u16 {
    match error {
        ClientError::Refused { status, .. } => status,
        other => panic!("{other}"),
    }
}

fn artifact(bytes: &[u8]) -> Artifact {
    let digest = Digest::of(bytes).to_string();
    Artifact { name: "job.jar".to_owned(), digest, bytes: bytes.len() as i64 }
}

const QUICK: Retry = Retry { first: Duration::from_millis(5), most: Duration::from_millis(20) };

/// Waits for a condition, at most 20 s.
async fn eventually(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    let mut tick = tokio::time::interval(Duration::from_millis(5));
    while !condition() {
        assert!(Instant::now() < deadline, "never: {what}");
        tick.tick().await;
    }
}

fn no_rest(folder: &Path) {
    let left = std::fs::read_dir(folder.join("incoming")).unwrap().count();
    assert_eq!(left, 0, "files left in incoming");
}

#[tokio::test]
async fn what_is_put_is_fetched() {
    let served = serve(Limits::default(), None).await;
    let bytes = sample(3_000_000);
    let digest = Digest::of(&bytes);
    assert!(!served.client().has(&digest).await.unwrap());
    assert!(served.put(&digest, &bytes).await.unwrap());
    assert!(!served.put(&digest, &bytes).await.unwrap(), "it is there already");
    let listed = served.client().list().await.unwrap();
    assert_eq!(listed, served.store.list().unwrap());
    assert_eq!((listed.len(), listed[0].digest, listed[0].bytes), (1, digest, 3_000_000));
    let (dir, own) = own_store();
    let path = served.client().fetch(&digest, &own).await.unwrap();
    assert_eq!(std::fs::read(path).unwrap(), bytes);
    no_rest(dir.path());
    no_rest(served.dir.path());
    assert!(served.client().delete(&digest).await.unwrap());
    assert!(!served.client().delete(&digest).await.unwrap());
    let error = served.client().fetch(&Digest::of(b"x"), &own).await.unwrap_err();
    assert!(matches!(error, ClientError::Missing { .. }), "{error}");
}

#[tokio::test]
async fn other_bytes_than_the_digest_says_are_refused() {
    let served = serve(Limits::default(), None).await;
    let digest = Digest::of(b"right");
    assert_eq!(status(served.put(&digest, b"wrong").await.unwrap_err()), 422);
    assert_eq!(served.store.path(&digest), None);
    no_rest(served.dir.path());
}

#[tokio::test]
async fn limits_hold() {
    let limits = Limits { file_bytes: 100, total_bytes: 150 };
    let served = serve(limits, None).await;
    let large = sample(101);
    assert_eq!(status(served.put(&Digest::of(&large), &large).await.unwrap_err()), 413);
    let (one, other) = (sample(100), vec![7; 100]);
    assert!(served.put(&Digest::of(&one), &one).await.unwrap());
    assert_eq!(status(served.put(&Digest::of(&other), &other).await.unwrap_err()), 507);
    no_rest(served.dir.path());
    let small = Store::open(&served.dir.path().join("own"), Limits { file_bytes: 99, ..limits });
    let error = served.client().fetch(&Digest::of(&one), &small.unwrap()).await.unwrap_err();
    assert!(matches!(error, ClientError::Store(StoreError::TooLarge(99))), "{error}");
}

#[tokio::test]
async fn a_token_guards_changes_but_not_reading() {
    let served = serve(Limits::default(), Some("secret")).await;
    let digest = Digest::of(b"a");
    assert_eq!(status(served.put(&digest, b"a").await.unwrap_err()), 401);
    let holder = Client::new(&served.url, Some("secret".to_owned())).unwrap();
    assert!(holder.put(&digest, &served.dir.path().join("to-put")).await.unwrap());
    assert_eq!(status(served.client().delete(&digest).await.unwrap_err()), 401);
    let other = Client::new(&served.url, Some("other".to_owned())).unwrap();
    assert_eq!(status(other.delete(&digest).await.unwrap_err()), 401);
    let (_dir, own) = own_store();
    assert!(served.client().fetch(&digest, &own).await.is_ok());
}

#[tokio::test]
async fn nothing_outside_of_the_artifacts_is_served() {
    let served = serve(Limits::default(), None).await;
    std::fs::write(served.dir.path().join("secret"), "s").unwrap();
    for path in
        ["/artifacts/../secret", "/artifacts/%2e%2e/secret", "/artifacts/lock", "/secret", "/"]
    {
        let mut stream =
            std::net::TcpStream::connect(served.url.trim_start_matches("http://")).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        let answer = tokio::task::spawn_blocking(move || {
            stream.write_all(request.as_bytes()).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            answer
        });
        let answer = answer.await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 404"), "{path}: {answer}");
    }
}

#[tokio::test]
async fn damage_on_the_way_is_not_kept() {
    let served = serve(Limits::default(), None).await;
    let bytes = sample(10_000);
    let digest = Digest::of(&bytes);
    served.put(&digest, &bytes).await.unwrap();
    let object = served.store.path(&digest).unwrap();
    let mut flipped = bytes.clone();
    flipped[5_000] ^= 1;
    let (dir, own) = own_store();
    for damaged in [&flipped[..], &bytes[..9_999], &[&bytes[..], b"x"].concat(), b""] {
        std::fs::write(&object, damaged).unwrap();
        let error = served.client().fetch(&digest, &own).await.unwrap_err();
        assert!(matches!(error, ClientError::Store(StoreError::WrongDigest { .. })), "{error}");
        assert_eq!(own.path(&digest), None);
        no_rest(dir.path());
    }
    std::fs::write(&object, &bytes).unwrap();
    assert!(served.client().fetch(&digest, &own).await.is_ok());
}

/// A server that gives the first half and breaks off, then the rest if it is asked for it.
fn broken_off(bytes: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let half = bytes.len() / 2;
        for round in 0..2 {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                request.push(byte[0]);
            }
            let (status, length) =
                if round == 0 { ("200 OK", bytes.len()) } else { ("206 Partial Content", half) };
            let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n");
            stream.write_all(head.as_bytes()).unwrap();
            if round == 0 {
                stream.write_all(&bytes[..half]).unwrap();
            } else {
                let request = String::from_utf8(request).unwrap().to_lowercase();
                assert!(request.contains(&format!("range: bytes={half}-")), "{request}");
                stream.write_all(&bytes[half..]).unwrap();
            }
        }
    });
    url
}

#[tokio::test]
async fn a_fetch_goes_on_where_it_broke_off() {
    let bytes = sample(100_000);
    let digest = Digest::of(&bytes);
    let client = Client::new(&broken_off(bytes.clone()), None).unwrap();
    let (dir, own) = own_store();
    let error = client.fetch(&digest, &own).await.unwrap_err();
    assert!(matches!(error, ClientError::Unreachable { .. }), "{error}");
    let path = client.fetch(&digest, &own).await.unwrap();
    assert_eq!(std::fs::read(path).unwrap(), bytes);
    no_rest(dir.path());
}

#[tokio::test]
async fn ranges_of_the_real_server_fit() {
    let served = serve(Limits::default(), None).await;
    let bytes = sample(50_000);
    let digest = Digest::of(&bytes);
    served.put(&digest, &bytes).await.unwrap();
    // A part that is right, one that is the whole artifact, one that is longer, one that is wrong.
    let longer = [&bytes[..], b"tail"].concat();
    for (part, good) in [(&bytes[..7], true), (&bytes, true), (&longer, false), (b"other", false)] {
        let (dir, own) = own_store();
        std::fs::write(dir.path().join(format!("incoming/{digest}.part")), part).unwrap();
        assert_eq!(served.client().fetch(&digest, &own).await.is_ok(), good);
        assert!(
            served.client().fetch(&digest, &own).await.is_ok(),
            "the second time from the start"
        );
        no_rest(dir.path());
    }
}

#[tokio::test]
async fn a_store_that_is_not_there_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = Client::new(&url, None).unwrap().has(&Digest::of(b"")).await.unwrap_err();
    assert!(error.to_string().starts_with(&format!("artifact store {url}: ")), "{error}");
    assert!(Client::new("https://x", None).is_err());
    assert!(Client::new("no url", None).is_err());
}

#[tokio::test]
async fn a_cache_fetches_what_is_needed_once_the_store_has_it() {
    let served = serve(Limits::default(), None).await;
    let (jar, capture) = (sample(20_000), sample(3_000));
    let needed = [artifact(&jar), artifact(&capture)];
    let dir = tempfile::tempdir().unwrap();
    let cache = Cache::open(dir.path(), Limits::default()).unwrap();
    tokio::spawn(cache.clone().run(served.client(), QUICK));
    cache.need(&needed);
    served.put(&Digest::of(&jar), &jar).await.unwrap();
    eventually("the jar", || cache.path(&needed[0].digest).is_some()).await;
    eventually("why the capture is missing", || {
        cache.missing(&needed[1]).is_some_and(|why| why.contains("has no artifact"))
    })
    .await;
    assert_eq!(cache.ready(), [needed[0].digest.clone()]);
    served.put(&Digest::of(&capture), &capture).await.unwrap();
    eventually("the capture", || cache.missing(&needed[1]).is_none()).await;
    let path = cache.path(&needed[1].digest).unwrap();
    assert_eq!(std::fs::read(path).unwrap(), capture);
}

#[tokio::test]
async fn a_damaged_file_is_fetched_again_at_the_next_start() {
    let served = serve(Limits::default(), None).await;
    let jar = sample(20_000);
    let needed = [artifact(&jar)];
    served.put(&Digest::of(&jar), &jar).await.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), Limits::default()).unwrap();
    let path = served.client().fetch(&Digest::of(&jar), &store).await.unwrap();
    drop(store);
    std::fs::write(&path, b"rot").unwrap();
    let cache = Cache::open(dir.path(), Limits::default()).unwrap();
    assert_eq!(cache.path(&needed[0].digest), None);
    cache.need(&needed);
    tokio::spawn(cache.clone().run(served.client(), QUICK));
    eventually("the jar again", || cache.path(&needed[0].digest).is_some()).await;
    assert_eq!(std::fs::read(path).unwrap(), jar);
}

#[tokio::test]
async fn a_cache_removes_what_no_version_needs_when_room_is_short() {
    let served = serve(Limits::default(), None).await;
    let files: Vec<Vec<u8>> = (0..3u8).map(|i| vec![i; 1_000]).collect();
    for file in &files {
        served.put(&Digest::of(file), file).await.unwrap();
    }
    let artifacts: Vec<Artifact> = files.iter().map(|file| artifact(file)).collect();
    let dir = tempfile::tempdir().unwrap();
    let limits = Limits { file_bytes: 1_000, total_bytes: 2_500 };
    let cache = Cache::open(dir.path(), limits).unwrap();
    tokio::spawn(cache.clone().run(served.client(), QUICK));
    cache.need(&artifacts[..2]);
    eventually("two", || cache.ready().len() == 2).await;
    cache.need(&artifacts[1..2]);
    assert!(cache.path(&artifacts[0].digest).is_some(), "there is room: it stays");
    cache.need(&artifacts[1..]);
    eventually("the third", || cache.ready().len() == 2).await;
    assert_eq!(cache.path(&artifacts[0].digest), None);
    cache.need(&artifacts);
    eventually("no room", || {
        cache.missing(&artifacts[0]).is_some_and(|why| why.contains("limit of 2500 bytes"))
    })
    .await;
    assert_eq!(cache.ready().len(), 2, "what is needed is not removed");
}

#[test]
fn a_folder_has_one_owner_and_forgets_broken_uploads() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), Limits::default()).unwrap();
    let second = Store::open(dir.path(), Limits::default());
    assert!(matches!(second, Err(StoreError::Taken(_))));
    drop(store);
    let digest = Digest::of(b"a");
    let (upload, part) = (format!("incoming/{digest}.3.upload"), format!("incoming/{digest}.part"));
    for file in [&upload, &part] {
        std::fs::write(dir.path().join(file), b"a").unwrap();
    }
    let store = Store::open(dir.path(), Limits::default()).unwrap();
    assert!(!dir.path().join(upload).exists());
    store.keep_downloads(|wanted| *wanted == digest).unwrap();
    assert!(dir.path().join(&part).exists());
    store.keep_downloads(|_| false).unwrap();
    assert!(!dir.path().join(&part).exists());
}
