//! An ordinary HTTP client: what was not answered, or refused for now, it sends again.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use reqwest::{Client, StatusCode};
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::Progress;

/// Lines of a request.
const LINES: usize = 50;
/// Requests at a time.
const SENDERS: usize = 4;
/// Between the starts of one request's tries, at least.
const PAUSE: Duration = Duration::from_millis(50);
/// How long one request may take, with all its repetitions.
const PATIENCE: Duration = Duration::from_secs(60);

/// Posts `lines`, `rate` a second, until all of them are acknowledged. The numbers of those that were sent and got no answer, as often as that happened.
pub fn post(
    to: SocketAddr,
    lines: &[String],
    rate: u32,
    progress: &Progress,
) -> Result<Vec<usize>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let sender = Sender { client: Client::new(), url: format!("http://{to}/events") };
    let round = Duration::from_secs(1) * u32::try_from(LINES * SENDERS)? / rate;
    let share = |of: usize| {
        let sender = &sender;
        async move {
            let (mut pace, mut unanswered) = (interval(round), Vec::new());
            for (number, batch) in lines.chunks(LINES).enumerate().skip(of).step_by(SENDERS) {
                let first = number * LINES;
                pace.tick().await;
                for _ in 0..sender.send(batch).await? {
                    unanswered.extend(first..first + batch.len());
                }
                progress.add(batch.len());
            }
            Ok::<_, anyhow::Error>(unanswered)
        }
    };
    runtime.block_on(async {
        let shares = tokio::try_join!(share(0), share(1), share(2), share(3))?;
        Ok([shares.0, shares.1, shares.2, shares.3].concat())
    })
}

struct Sender {
    client: Client,
    url: String,
}

impl Sender {
    /// Sends a request until it is answered with 200. How many times it may have arrived without an answer.
    async fn send(&self, lines: &[String]) -> Result<usize> {
        let (body, deadline) = (lines.join("\n"), Instant::now() + PATIENCE);
        let (mut tries, mut unanswered) = (interval(PAUSE), 0);
        tries.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tries.tick().await;
            let request = self.client.post(&self.url).header("content-type", "text/plain");
            let last = match request.body(body.clone()).send().await {
                Ok(answer) if answer.status() == StatusCode::OK => {
                    // Read to its end, so that the connection can be used again.
                    let _ = answer.bytes().await;
                    return Ok(unanswered);
                }
                Ok(answer) if answer.status() == StatusCode::SERVICE_UNAVAILABLE => None,
                Ok(answer) => bail!("{}: {}", answer.status(), answer.text().await?),
                Err(error) => {
                    unanswered += usize::from(!error.is_connect());
                    Some(error)
                }
            };
            if Instant::now() > deadline {
                return Err(last.map_or_else(|| anyhow::anyhow!("refused"), Into::into))
                    .context("a request gets no answer");
            }
        }
    }
}
