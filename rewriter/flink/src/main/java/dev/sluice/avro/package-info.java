/** Avro as Sluice's topics carry it: the Confluent wire format, and decoding without a value tree in between. */
package dev.sluice.avro;
