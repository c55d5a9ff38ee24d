import { hostname } from 'node:os';
import type { Random } from '../../../src/event-sourcing/random.js';

/**
 * The right to write one generation. A new holder gets a higher fencing number, and older ones can write nothing more.
 */
export type Lease = { readonly name: string; readonly holder: string; readonly fencing: string };

/**
 * How long a lease lasts without being renewed, by the database's clock. As short as it may be, because nobody projects
 * after a crash until it is over; and longer than a pause between two renewals while the database is silent for 2 s, so
 * that it does not go to another process then.
 */
export const LEASE_MS = 3_000;

/** A unique name that shows an operator which process it is. */
export const newHolder = (random: Random): string => `${hostname()}:${process.pid}:${random.bytes(4).toString('hex')}`;
