//! Every source against what it reads from: files, requests, a broker.

mod file;
mod http;
mod mosquitto;
mod mqtt;
mod support;
