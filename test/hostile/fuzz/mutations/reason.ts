import type { Draft, Mutation } from '../draft.js';
import { error, invalid } from '../expectation.js';
import { documents, type Operation, takes } from '../operations.js';
import type { Keyed } from '../session-state.js';
import { underKey } from './idempotency.js';

const HEADER = 'Change-Reason';

const reasoned = (operation: Operation): boolean => takes(operation, 'header', HEADER);

const withReason = (draft: Draft, ...reasons: ReadonlyArray<string>): void => {
  draft.headers = [...draft.headers, ...reasons.map((reason) => [HEADER, reason] as const)];
};

/** Every byte as RFC 8187 allows it. */
const encoded = (text: string): string => `UTF-8''${Buffer.from(text).toString('hex').replaceAll(/../g, '%$&')}`;

const VALID = [
  ...['x', ' as told ', 'the "lease", moved; 100% sure', '~'.repeat(255), 'utf-8', '\u0020\u0021\u007e', '%C3%A9'],
  ...[encoded('Umzug nach Köln'), encoded('\u{1f600}'.repeat(255)), encoded(' \u00a0x\ufeff'), encoded('<script>')],
  ...["UTF-8''Caf%c3%a9", "utf-8''plain", "Utf-8''!#$&+-.^_`|~"],
];

const TOO_LONG = ['x'.repeat(256), encoded('é'.repeat(256)), encoded('\u{1f600}'.repeat(256))];

const BADLY_ENCODED = [
  ...["UTF-8''%E9%zz", "UTF-8''%e9 alone", "UTF-8''%C3%28%", "UTF-8''%C3", "UTF-8''%ED%A0%80", "UTF-8''%F8%88%80%80"],
  ...["UTF-8''two words", "UTF-8''it's", 'UTF-8\'\'"x"', "UTF-8'de'Umzug", "UTF-8'Umzug", "UTF-8''%C3%A9\u00e9"],
];

/** What the bytes of no plain header, or no line that a person reads, may have. */
const NO_LINE = ['', ' ', "utf-8''", "UTF-8''%20%C2%A0", 'Umz\u00fcge', '\u00ff', 'a\tb', encoded('one\ntwo')];
const CONTROLS = ['\u0000', '\u001b[31m', '\u007f', '\u0085', '\u009b'].map((control) => encoded(`why${control}`));

const isRepeatable =
  (operation: Operation) =>
  (request: Keyed): boolean =>
    request.operation === operation && request.record?.isDeleted !== true;

const without = (headers: ReadonlyArray<string>, name: string): ReadonlyArray<string> =>
  headers.filter((_, index) => headers[index - (index % 2)] !== name);

/** `Change-Reason`. */
export const reason: ReadonlyArray<Mutation> = [
  {
    name: 'with a reason',
    weight: 2,
    suits: reasoned,
    apply: (draft, { random }) => withReason(draft, random.pick(VALID)),
  },
  {
    name: 'with a reason that is malformed',
    weight: 2,
    suits: reasoned,
    apply: (draft, { random }) => {
      const value = random.pick([TOO_LONG, BADLY_ENCODED, NO_LINE, CONTROLS]);
      withReason(draft, random.pick(value));
      draft.expects = invalid(HEADER);
    },
  },
  {
    name: 'with two reasons',
    suits: reasoned,
    apply: (draft, { random }) => {
      withReason(draft, random.pick(VALID), random.pick(VALID));
      draft.expects = invalid(HEADER);
    },
  },
];

/** A reason is a part of what a key stands for. */
export const reasonUnderKey: ReadonlyArray<Mutation> = [
  {
    name: 'once more under its key, for another reason',
    before: (operation, { state }) => (state.keyed.some(isRepeatable(operation)) ? undefined : underKey),
    suits: (operation) => reasoned(operation) && documents(operation, 422),
    apply: (draft, { state, random, unique }) => {
      const known = state.keyed.filter(isRepeatable(draft.operation));
      if (known.length === 0) return;
      const original = random.pick(known);
      const headers = [...without(original.wire.headers, HEADER), HEADER, encoded(unique)];
      draft.repeats = { ...original, wire: { ...original.wire, headers } };
      draft.isPlain = false;
      draft.method = original.wire.method;
      draft.path = original.wire.path;
      draft.expects = error(422, 'Idempotency Key Reused');
    },
  },
];
