import type { EventBytes } from './stream-page.js';

/**
 * What a reader is shown of an envelope, taken out of its bytes without decoding them: each text as it stands there, with
 * nothing in it that JSON escapes.
 */
type EnvelopeTexts = {
  readonly actor: string;
  readonly at: string;
  readonly hash: string;
  readonly schemaVersion: number;
};

// No quote, so that each text ends where the pattern says; no escape, so that it is its own JSON; no control character,
// with which it would be no JSON. Bytes above 0x7f are parts of characters.
const TEXT = String.raw`[^"\\\u0000-\u001f]*`;
const ASCII = String.raw`[^"\\\u0000-\u001f\u0080-\u00ff]*`;
const envelope = (salt: ReadonlyArray<string>): RegExp =>
  new RegExp(
    [
      String.raw`^\{"\$causationId":"${TEXT}","\$correlationId":"${TEXT}","actor":"(${TEXT})","at":"(${ASCII})"`,
      `"dataHash":"${TEXT}","fingerprint":"${TEXT}","hash":"(${ASCII})"(?:,"mac":"${TEXT}")?,"previousHash":"${TEXT}"`,
      ...salt,
      String.raw`"schemaVersion":([1-9]\d{0,8})(?:,"traceparent":"${TEXT}")?\}$`,
    ].join(','),
  );
const ENVELOPE = envelope([`"salt":"${TEXT}"`]);
const WITHOUT_SALT = envelope([]);

/**
 * Takes the texts out of metadata that is exactly as `seal` writes it: canonical JSON, so that the keys come in one order.
 * Undefined for any other metadata, which may be an envelope all the same: of a data that was withheld, of another
 * program, or with texts that JSON escapes.
 */
export const envelopeTexts = (event: Pick<EventBytes, 'metadata' | 'withoutSalt'>): EnvelopeTexts | undefined => {
  const { withoutSalt } = event;
  const found = withoutSalt === undefined ? ENVELOPE.exec(event.metadata) : WITHOUT_SALT.exec(withoutSalt);
  const [, actor, at, hash, schemaVersion] = found ?? [];
  if (actor === undefined || at === undefined || hash === undefined) return undefined;
  return { actor, at, hash, schemaVersion: Number(schemaVersion) };
};
