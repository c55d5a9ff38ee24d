import { either as E } from 'fp-ts';
import { type JsonObject, objectIn } from './canonical-json.js';
import { macText } from './envelope.js';
import type { EventKeys } from './event-key.js';
import type { StoredEvent } from './recorded-event.js';

/**
 * What an event's `mac` tells of who sealed it.
 * - `Fits`: it is of this event, under one of the keys.
 * - `DoesNotFit`: it names one of the keys and is not of this event, or it is no `mac` at all.
 * - `UnknownKey`: it names another key.
 * - `NotChecked`: there is one, and no key to check it with.
 */
export type MacStatus = 'None' | 'Fits' | 'DoesNotFit' | 'UnknownKey' | 'NotChecked';

const MAC = /^([0-9a-f]{8})\.[A-Za-z0-9_-]{43}$/;

/** Without members where the text is no JSON object: that is for the chain to say. */
const envelopeOf = ({ metadata }: StoredEvent): JsonObject => objectIn(metadata) ?? {};

/** Undefined where numbers stand in the envelope that canonical JSON cannot carry. */
const textOf = (event: StoredEvent, envelope: JsonObject): string | undefined =>
  E.getOrElseW(() => undefined)(
    E.tryCatch(
      () => macText(event, envelope),
      () => undefined,
    ),
  );

/** Checks who sealed an event; its data is covered by `dataHash`, which `hash-chain.ts` compares with it. */
export const macStatusOf = (keys: EventKeys, event: StoredEvent): MacStatus => {
  const envelope = envelopeOf(event);
  const { mac } = envelope;
  if (mac === undefined) return 'None';
  const [, id] = (typeof mac === 'string' ? MAC.exec(mac) : undefined) ?? [];
  if (id === undefined) return 'DoesNotFit';
  if (keys.length === 0) return 'NotChecked';
  // ids are short, so that two keys may share one
  const named = keys.filter((key) => key.id === id);
  if (named.length === 0) return 'UnknownKey';
  const text = textOf(event, envelope);
  return text !== undefined && named.some((key) => key.macOf(text) === mac) ? 'Fits' : 'DoesNotFit';
};
