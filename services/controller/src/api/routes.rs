//! The paths.

use std::convert::Infallible;
use std::str::FromStr;

use serde_json::json;
use sluice_model::{DeviceKey, Target};
use sluice_runtime::clock::now_ms;
use tokio::sync::oneshot;
use warp::filters::BoxedFilter;
use warp::http::StatusCode;
use warp::reject::{InvalidQuery, LengthRequired, MethodNotAllowed, PayloadTooLarge};
use warp::reply::Response;
use warp::{Filter, Rejection, Reply};

use super::answer::{Refused, answer};
use super::requests::{HistoryQuery, ReleaseRequest, RouteRequest};
use super::{Api, Order};
use crate::core::WhatIf;
use crate::meters;

/// The largest body of a request.
const BODY_BYTES: u64 = 16 * 1024;
const PAGE: &str = include_str!("page.html");

/// A route that answers.
pub type Route = BoxedFilter<(Response,)>;

/// All routes but those of the store.
pub fn all(api: Api) -> Route {
    let with = |api: Api| warp::any().map(move || api.clone());
    let page = warp::path::end().and(warp::get()).map(|| warp::reply::html(PAGE).into_response());
    let ping = warp::path("ping").and(warp::path::end()).or(warp::path!("api" / "v1" / "ping"));
    let ping = warp::get().and(ping).map(|_| "pong\n".into_response());
    let ready = warp::path("ready").and(warp::path::end()).or(warp::path!("api" / "v1" / "ready"));
    let ready = warp::get().and(ready).and(with(api.clone())).map(|_, api: Api| ready_of(&api));
    let metrics = warp::path!("metrics").and(warp::get()).and(with(api.clone())).map(|api: Api| {
        let fleet = api.shared.fleet().view(now_ms());
        let text = api.metrics.render() + &meters::render(&fleet, api.metrics_devices);
        text.into_response()
    });

    let version = warp::path("api").and(warp::path("v1"));
    let allowed = version.and(allowed(api.clone()));
    let fleet = warp::get().and(allowed.clone()).and(warp::path!("fleet"));
    let fleet = fleet
        .map(|api: Result<Api, Refused>| answer(api.map(|api| api.shared.fleet().view(now_ms()))));
    let device = warp::path!("devices" / String / String / String / ..);
    let device = allowed.and(device).map(
        |api: Result<Api, Refused>, query: String, input: String, device: String| {
            api.map(|api| (api, format!("{query}/{input}/{device}")))
        },
    );
    let one = warp::get().and(device.clone()).and(warp::path::end());
    let one = one.map(|asked: Result<(Api, String), Refused>| answer(asked.and_then(one_of)));
    let history = warp::get().and(device.clone()).and(warp::path!("history")).and(warp::query());
    let history = history.map(|asked: Result<_, Refused>, query: HistoryQuery| {
        answer(asked.and_then(|asked| history_of(asked, &query)))
    });
    let explain = warp::get().and(device.clone()).and(warp::path!("explain"));
    let explain = explain.map(|asked: Result<_, Refused>| {
        answer(asked.and_then(|asked| explain_in(asked, &WhatIf::default())))
    });
    let what_if = warp::get().and(device.clone()).and(warp::path!("whatif")).and(warp::query());
    let what_if = what_if.map(|asked: Result<_, Refused>, world: WhatIf| {
        answer(asked.and_then(|asked| explain_in(asked, &world)))
    });
    let body = warp::body::content_length_limit(BODY_BYTES).and(warp::body::bytes()).map(to_vec);
    let route = device.clone().and(warp::path!("route")).and(warp::post()).and(body);
    let route = route.then(async |asked: Result<Asked, Refused>, body: Vec<u8>| {
        answer(order(asked, &body, route_of).await)
    });
    let release = device.and(warp::path!("release")).and(warp::post()).and(body);
    let release = release.then(async |asked: Result<Asked, Refused>, body: Vec<u8>| {
        answer(order(asked, &body, release_of).await)
    });
    let api = one.or(history).unify().or(explain).unify().or(what_if).unify();
    let api = api.or(route).unify().or(release).unify().or(fleet).unify();
    let routes = page.or(ping).unify().or(ready).unify().or(metrics).unify().or(api).unify();
    routes.boxed()
}

/// The answer to what fits no route.
pub async fn refused(rejection: Rejection) -> Result<Response, Infallible> {
    let refused = if rejection.is_not_found() {
        Refused::new(StatusCode::NOT_FOUND, "there is nothing here")
    } else if rejection.find::<InvalidQuery>().is_some() {
        Refused::usage("the query string is not as described")
    } else if rejection.find::<LengthRequired>().is_some() {
        Refused::new(StatusCode::LENGTH_REQUIRED, "how long is the body?")
    } else if rejection.find::<PayloadTooLarge>().is_some() {
        Refused::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long")
    } else if rejection.find::<MethodNotAllowed>().is_some() {
        Refused::new(StatusCode::METHOD_NOT_ALLOWED, "not by this method")
    } else {
        Refused::usage(format!("{rejection:?}"))
    };
    Ok(answer::<()>(Err(refused)))
}

/// Whether a request has the token, where one is needed.
fn allowed(api: Api) -> impl Filter<Extract = (Result<Api, Refused>,), Error = Infallible> + Clone {
    let header = warp::header::optional::<String>("authorization")
        .or_else(|_| async { Ok::<_, Infallible>((None,)) });
    header.map(move |header: Option<String>| {
        let given = header.as_deref().and_then(|header| header.strip_prefix("Bearer "));
        let is_allowed = api.token.as_deref().is_none_or(|token| {
            sluice_artifacts::Digest::of(given.unwrap_or_default().as_bytes())
                == sluice_artifacts::Digest::of(token.as_bytes())
        });
        if is_allowed {
            Ok(api.clone())
        } else {
            let why = "this controller needs a token: Authorization: Bearer ..";
            Err(Refused::new(StatusCode::UNAUTHORIZED, why))
        }
    })
}

fn ready_of(api: &Api) -> Response {
    let lines: String =
        api.readiness.waiting().iter().map(|(part, why)| format!("{part}: {why}\n")).collect();
    if lines.is_empty() {
        "ready\n".into_response()
    } else {
        warp::reply::with_status(lines, StatusCode::SERVICE_UNAVAILABLE).into_response()
    }
}

fn to_vec(body: impl Into<Vec<u8>>) -> Vec<u8> {
    body.into()
}

type Asked = (Api, String);

fn key(text: &str) -> Result<DeviceKey, Refused> {
    DeviceKey::from_str(text).map_err(|error| Refused::usage(error.to_string()))
}

fn one_of((api, text): Asked) -> Result<serde_json::Value, Refused> {
    let key = key(&text)?;
    let fleet = api.shared.fleet();
    let view = fleet.device_view(&key, now_ms()).ok_or_else(|| Refused::unknown(&text))?;
    let status = fleet.device(&key).and_then(|device| device.status.clone());
    let telemetry = fleet.device(&key).and_then(|device| device.telemetry.clone());
    Ok(
        json!({ "device": view, "status": status, "telemetry": telemetry.map(|(record, _)| record) }),
    )
}

fn history_of((api, text): Asked, query: &HistoryQuery) -> Result<serde_json::Value, Refused> {
    let fleet = api.shared.fleet();
    let device = fleet.device(&key(&text)?).ok_or_else(|| Refused::unknown(&text))?;
    let newest: Vec<_> = device.history.iter().rev().take(query.limit).collect();
    Ok(json!(newest))
}

fn explain_in((api, text): Asked, world: &WhatIf) -> Result<serde_json::Value, Refused> {
    world.check().map_err(|name| Refused::usage(format!("{name} must be above 0")))?;
    let explanation = api.shared.fleet().explain(&key(&text)?, world, now_ms());
    Ok(json!(explanation.ok_or_else(|| Refused::unknown(&text))?))
}

/// A request's command for a target, with the number of the input's operators.
type CommandOf = fn(&[u8], i32) -> Result<sluice_model::RoutingCommand, String>;

fn route_of(body: &[u8], operators: i32) -> Result<sluice_model::RoutingCommand, String> {
    let request: RouteRequest = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    request.command(operators)
}

fn release_of(body: &[u8], _: i32) -> Result<sluice_model::RoutingCommand, String> {
    let body = if body.is_empty() { b"{}" } else { body };
    let request: ReleaseRequest =
        serde_json::from_slice(body).map_err(|error| error.to_string())?;
    Ok(request.command())
}

/// Sends a person's command, and waits until it stands in the control topic.
async fn order(
    asked: Result<Asked, Refused>,
    body: &[u8],
    command_of: CommandOf,
) -> Result<serde_json::Value, Refused> {
    let (api, text) = asked?;
    let target = Target::from_str(&text).map_err(|error| Refused::usage(error.to_string()))?;
    let operators = {
        let fleet = api.shared.fleet();
        let input = fleet.input(&target.query, &target.input);
        let (_, input) = input.ok_or_else(|| Refused::unknown(&text))?;
        if let Some(device) = target.device.clone() {
            let (query, input) = (target.query.clone(), target.input.clone());
            let key = DeviceKey { query, input, device };
            fleet.device(&key).ok_or_else(|| Refused::unknown(&text))?;
        }
        input.operator_count()
    };
    let command = command_of(body, operators).map_err(Refused::usage)?;
    let unavailable = |why: &str| Refused::new(StatusCode::SERVICE_UNAVAILABLE, why);
    let (answer, placed) = oneshot::channel();
    let order = Order { target, command, answer };
    api.orders.send(order).await.map_err(|_| unavailable("the controller ends"))?;
    match placed.await {
        Ok(Ok((partition, epoch))) => Ok(json!({ "partition": partition, "epoch": epoch })),
        Ok(Err(why)) => Err(unavailable(&why)),
        Err(_) => Err(unavailable("the command was not sent")),
    }
}
