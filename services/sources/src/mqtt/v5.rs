//! MQTT 5.

use anyhow::Result;
use rumqttc::Outgoing;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{Filter, Packet, Publish, SubscribeReasonCode};
use rumqttc::v5::{AsyncClient, Event, EventLoop, MqttOptions};

use super::link::{Acknowledge, Happening, Later, Link, Message};
use super::settings::Settings;

/// Acknowledgements that may wait to be sent.
const REQUESTS: usize = 1_024;

struct V5 {
    client: AsyncClient,
    events: EventLoop,
    topics: Vec<String>,
}

/// A connection that is made when it is first asked what happens.
pub fn open(settings: &Settings) -> Result<impl Link + 'static> {
    let mut options = MqttOptions::new(&settings.client_id, &settings.host, settings.port);
    let expiry_s = u32::try_from(settings.session_expiry.as_secs()).unwrap_or(u32::MAX);
    options
        .set_keep_alive(settings.keep_alive)
        .set_clean_start(false)
        .set_manual_acks(true)
        .set_session_expiry_interval(Some(expiry_s))
        .set_receive_maximum(Some(settings.receive_maximum))
        .set_max_packet_size(Some(settings.max_packet_bytes))
        .set_transport(settings.transport()?);
    if let Some((user, password)) = settings.credentials()? {
        options.set_credentials(user, password);
    }
    let (client, events) = AsyncClient::new(options, REQUESTS);
    Ok(V5 { client, events, topics: settings.topics.clone() })
}

impl Link for V5 {
    fn next(&mut self) -> Later<'_, Result<Happening, String>> {
        Box::pin(async move {
            match self.events.poll().await.map_err(|e| e.to_string())? {
                Event::Incoming(Packet::ConnAck(connack)) => {
                    let filters =
                        self.topics.iter().map(|topic| Filter::new(topic, QoS::AtLeastOnce));
                    self.client.subscribe_many(filters).await.map_err(|e| e.to_string())?;
                    Ok(Happening::Connected { session_present: connack.session_present })
                }
                Event::Incoming(Packet::SubAck(suback)) => {
                    let granted = |code: &SubscribeReasonCode| {
                        matches!(code, SubscribeReasonCode::Success(_))
                    };
                    match suback.return_codes.iter().find(|code| !granted(code)) {
                        Some(code) => Err(format!(
                            "a subscription to {} is refused: {code:?}",
                            self.topics.join(", ")
                        )),
                        None => Ok(Happening::Other),
                    }
                }
                Event::Incoming(Packet::Publish(publish)) => {
                    Ok(Happening::Message(message(publish)))
                }
                Event::Outgoing(Outgoing::PubAck(id)) => Ok(Happening::Acknowledged(id)),
                _ => Ok(Happening::Other),
            }
        })
    }

    fn acknowledger(&self) -> Box<dyn Acknowledge> {
        Box::new(Acknowledger(self.client.clone()))
    }
}

fn message(publish: Publish) -> Message {
    Message {
        packet_id: (publish.qos == QoS::AtLeastOnce).then_some(publish.pkid),
        is_repeated: publish.dup,
        payload: publish.payload.to_vec(),
    }
}

struct Acknowledger(AsyncClient);

impl Acknowledge for Acknowledger {
    fn acknowledge(&self, packet_id: u16) -> Later<'_, ()> {
        let mut publish = Publish::new("", QoS::AtLeastOnce, Vec::new(), None);
        publish.pkid = packet_id;
        Box::pin(async move {
            // Fails only when the connection is gone; the broker sends the message again then.
            let _ = self.0.ack(&publish).await;
        })
    }
}
