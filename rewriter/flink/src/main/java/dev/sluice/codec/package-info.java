/** Between the user's objects and the Avro bytes that travel on the topics. */
package dev.sluice.codec;
