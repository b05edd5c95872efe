//! A broker, and an ordinary client that publishes to it.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{Packet, PubAckReason};
use rumqttc::v5::{AsyncClient, Event, EventLoop, MqttOptions};
use sluice_e2e::{World, eventually, free_address};
use tokio::time::{interval, timeout};

use crate::Progress;

/// What the device subscribes to.
pub const TOPICS: &str = "meters/+/reading";
const TOPIC: &str = "meters/1/reading";
/// How long the broker may be silent while something is to be acknowledged.
const PATIENCE: Duration = Duration::from_secs(60);
const TICKS_PER_S: u32 = 200;
const TICK: Duration = Duration::from_millis(1_000 / TICKS_PER_S as u64);

/// Starts a broker in the stack that has up to `in_flight` unacknowledged messages on their way to a client.
pub fn start_broker(world: &mut World, in_flight: usize) -> Result<SocketAddr> {
    let address = free_address()?;
    let config = world.write(
        "mosquitto.conf",
        &format!(
            "user root\nlistener {} {}\nallow_anonymous true\nmax_inflight_messages {in_flight}\nmax_queued_messages 0\n",
            address.port(),
            address.ip()
        ),
    )?;
    let found = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/usr/bin/mosquitto"];
    let program = found.iter().find(|path| Path::new(path).exists());
    let program = program.context("mosquitto is missing; `cargo xtask test` installs it")?;
    world.stack.spawn("mosquitto", Command::new(program).arg("-c").arg(config))?;
    await_broker(address)?;
    Ok(address)
}

/// Waits until the broker listens.
pub fn await_broker(address: SocketAddr) -> Result<()> {
    eventually("mosquitto listens", || Ok(std::net::TcpStream::connect(address).is_ok()))
}

/// Publishes `lines` in order at QoS 1, `rate` a second, until the broker has acknowledged all of them.
pub fn publish(broker: SocketAddr, lines: &[String], rate: u32, progress: &Progress) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let options = MqttOptions::new("meters", broker.ip().to_string(), broker.port());
        let (client, mut events) = AsyncClient::new(options, 1_000);
        let (first, rest) = lines.split_first().context("no lines")?;
        // The device may be connected and have subscribed to nothing yet.
        loop {
            client.publish(TOPIC, QoS::AtLeastOnce, false, first.clone()).await?;
            if acknowledgement(&mut events).await? == PubAckReason::Success {
                break;
            }
        }
        progress.add(1);
        let sending = async {
            let mut pace = interval(TICK);
            for some in rest.chunks(usize::try_from(rate / TICKS_PER_S)?) {
                pace.tick().await;
                for line in some {
                    client.publish(TOPIC, QoS::AtLeastOnce, false, line.clone()).await?;
                }
            }
            Ok::<_, anyhow::Error>(())
        };
        let hearing = async {
            for _ in rest {
                let reason = acknowledgement(&mut events).await?;
                ensure!(reason == PubAckReason::Success, "a line is refused: {reason:?}");
                progress.add(1);
            }
            Ok(())
        };
        tokio::try_join!(sending, hearing).map(|_| ())
    })
}

async fn acknowledgement(events: &mut EventLoop) -> Result<PubAckReason> {
    loop {
        match timeout(PATIENCE, events.poll()).await.context("the broker is silent")?? {
            Event::Incoming(Packet::PubAck(ack)) => return Ok(ack.reason),
            Event::Incoming(Packet::Disconnect(why)) => bail!("the broker leaves: {why:?}"),
            _ => {}
        }
    }
}
