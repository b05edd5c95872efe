//! MQTT 3.1.1.

use anyhow::Result;
use rumqttc::{
    AsyncClient, Event, EventLoop, MqttOptions, Outgoing, Packet, Publish, QoS, SubscribeFilter,
    SubscribeReasonCode,
};

use super::link::{Acknowledge, Happening, Later, Link, Message};
use super::settings::Settings;

/// Acknowledgements that may wait to be sent.
const REQUESTS: usize = 1_024;

struct V3 {
    client: AsyncClient,
    events: EventLoop,
    topics: Vec<String>,
}

/// A connection that is made when it is first asked what happens.
pub fn open(settings: &Settings) -> Result<impl Link + 'static> {
    let mut options = MqttOptions::new(&settings.client_id, &settings.host, settings.port);
    let largest = usize::try_from(settings.max_packet_bytes)?;
    options
        .set_keep_alive(settings.keep_alive)
        .set_clean_session(false)
        .set_manual_acks(true)
        .set_max_packet_size(largest, largest)
        .set_transport(settings.transport()?);
    if let Some((user, password)) = settings.credentials()? {
        options.set_credentials(user, password);
    }
    let (client, events) = AsyncClient::new(options, REQUESTS);
    Ok(V3 { client, events, topics: settings.topics.clone() })
}

impl Link for V3 {
    fn next(&mut self) -> Later<'_, Result<Happening, String>> {
        Box::pin(async move {
            match self.events.poll().await.map_err(|e| e.to_string())? {
                Event::Incoming(Packet::ConnAck(connack)) => {
                    let filters = self.topics.iter().map(|topic| SubscribeFilter {
                        path: topic.clone(),
                        qos: QoS::AtLeastOnce,
                    });
                    self.client.subscribe_many(filters).await.map_err(|e| e.to_string())?;
                    Ok(Happening::Connected { session_present: connack.session_present })
                }
                Event::Incoming(Packet::SubAck(suback)) => {
                    match suback.return_codes.contains(&SubscribeReasonCode::Failure) {
                        true => {
                            Err(format!("a subscription to {} is refused", self.topics.join(", ")))
                        }
                        false => Ok(Happening::Other),
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
        let mut publish = Publish::new("", QoS::AtLeastOnce, Vec::new());
        publish.pkid = packet_id;
        Box::pin(async move {
            // Fails only when the connection is gone; the broker sends the message again then.
            let _ = self.0.ack(&publish).await;
        })
    }
}
