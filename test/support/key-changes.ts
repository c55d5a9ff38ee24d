import { canonicalJson, type JsonObject } from '../../src/event-sourcing/canonical-json.js';
import { openCheckpoint, signCheckpoint } from '../../src/seal/checkpoint.js';
import { signNote } from '../../src/seal/note.js';
import { renderVerifier, type Signer } from '../../src/seal/note-key.js';
import { makePackedLog, membersOf, packOf } from './audit-pack.js';
import { bomb, manifestText, zipped } from './bad-packs.js';
import { leafDataOf, right } from './sealed-tree.js';
import { packedAs, partsOf, type ZipMemberParts, zipOf } from './zip-parts.js';
import { signerNamed } from './sealed-log.js';

const DECIDED: JsonObject = { actor: 'operator', at: '2026-02-01T00:00:00.000Z', reason: 'once a year' };

/** What the note of a change says, where it is another thing than usual. */
type OddChange = {
  readonly root?: Buffer;
  readonly decided?: string;
  /** Both keys, unless it says so. */
  readonly signers?: ReadonlyArray<Signer>;
  /** Of the text, before it is signed. */
  readonly change?: (text: string) => string;
};

/** A text, and a line for each of who signs it. */
const noteBy = (text: string, signers: ReadonlyArray<Signer>): string =>
  `${text}\n${signers.map((signer) => right(signNote(text, signer)).split('\n\n').at(-1)).join('')}`;

/** The note by which one key takes the place of another, which has sealed so many leaves. */
export const keyChange = (from: Signer, to: Signer, size: number | string, odd: OddChange = {}): string => {
  const { root = leafDataOf('root', Number(size)), decided = canonicalJson(DECIDED), signers = [from, to] } = odd;
  const keys = [from, to].map(({ verifier }) => `${renderVerifier(verifier)}\n`).join('');
  const text = `${from.verifier.name}\ncheckpoint key replaced\n${keys}${size}\n${root.toString('base64')}\n${decided}\n`;
  return noteBy((odd.change ?? ((same) => same))(text), signers);
};

/** The list of several. */
const keyChanges = (...notes: ReadonlyArray<string>): string => notes.join('\n');

const log = makePackedLog();
const { signer: first } = log;
const { name: ORIGIN } = first.verifier;
const [second, third, stranger] = ['second', 'third', 'stranger'].map((secret) => signerNamed(ORIGIN, secret)) as [
  Signer, // reason: there are three of them
  Signer,
  Signer,
];
const { root: ROOT } = right(openCheckpoint(Buffer.from(log.checkpoint), [first.verifier]));

const keyOf = ({ verifier }: Signer): string => renderVerifier(verifier);
const short = ({ verifier: { name, id } }: Signer): string => `${name}+${id}`;

/** A pack with other members, of which these keys have signed the list anew. */
const packedAgain = async (
  pack: Buffer,
  signers: ReadonlyArray<Signer>,
  changed: Readonly<Record<string, string>> = {},
): Promise<Buffer> => {
  const others = Object.entries(changed).map(([name, content]) => [name, Buffer.from(content)] as const);
  const members = new Map([...(await membersOf(pack)), ...others]);
  return zipped(members.set('manifest.txt', Buffer.from(noteBy(manifestText(members), signers))));
};

/** The checkpoint of all 300 events by one of the keys. */
const checkpointBy = (signer: Signer, size = 300, root = ROOT): string => right(signCheckpoint({ size, root }, signer));

/** The pack of the log by one of its keys. */
const packBy = (signer: Signer, changes?: string, checkpoint = checkpointBy(signer)): Promise<Buffer> =>
  packOf(log.sources({ signer, checkpoint, ...(changes === undefined ? {} : { keyChanges: changes }) }));

/** A pack of a log whose key was replaced, and what both verifiers say of it. */
type ReplacedKeyPack = {
  readonly what: string;
  readonly key: string;
  readonly pack: () => Promise<Buffer>;
  /** What was given with it. */
  readonly changes?: string | Buffer;
  readonly kept?: string;
  readonly policy?: string;
  /** What a verifier says of the keys, all of it; of a fault without more. */
  readonly said?: ReadonlyArray<string>;
  readonly fault?: string;
};

const MEMBER = 'key-changes.txt';
const GIVEN = 'the list of key changes';
const once = keyChanges(keyChange(first, second, 120));
const twice = keyChanges(keyChange(first, second, 120), keyChange(second, third, 200));
const late = keyChanges(keyChange(first, second, 500), keyChange(second, third, 500));
const atTheEnd = keyChanges(keyChange(first, second, 300, { root: ROOT }));

const later = (signer: Signer, source: string, what = 'The pack'): string =>
  `${what} is signed by the key ${short(signer)}, which replaced yours after 120 events; both keys signed that, and by whom, when ` +
  `and why is in ${source}.`;
const earlier = (signer: Signer, size: number, what = 'The pack'): string =>
  `${what} is signed by the key ${short(signer)}, which was replaced after ${size} events: whoever got hold of that key since can ` +
  'have made this; only one that you had before the change shows more.';

const good: ReadonlyArray<ReplacedKeyPack> = [
  {
    what: 'is of the key, and tells of the change to it',
    key: keyOf(second),
    pack: () => packBy(second, once),
    said: [],
  },
  {
    what: 'is of a later key than the old one',
    key: keyOf(first),
    pack: () => packBy(second, once),
    said: [later(second, MEMBER)],
  },
  {
    what: 'is of a later key, as a list tells that was given',
    key: keyOf(first),
    pack: () => packBy(second),
    changes: once,
    said: [later(second, GIVEN)],
  },
  {
    what: 'tells of more changes than the list that was given, which counts',
    key: keyOf(first),
    pack: () => packBy(second, twice),
    changes: once,
    said: [later(second, GIVEN)],
  },
  {
    what: 'tells of fewer changes than the list that was given, which counts',
    key: keyOf(first),
    pack: () => packBy(third, keyChanges(keyChange(second, third, 200))),
    changes: twice,
    said: [later(third, GIVEN).replace('after', 'by 2 changes, the first after').replace('signed that', 'signed each')],
  },
  {
    what: 'is of the last of three keys',
    key: keyOf(first),
    pack: () => packBy(third, twice),
    said: [
      later(third, MEMBER).replace('after', 'by 2 changes, the first after').replace('signed that', 'signed each'),
    ],
  },
  {
    what: 'is older than the change of the key',
    key: keyOf(second),
    pack: () => packBy(first),
    changes: keyChanges(keyChange(first, second, 500)),
    said: [earlier(first, 500)],
  },
  {
    what: 'is by the first of three keys',
    key: keyOf(third),
    pack: () => packBy(first),
    changes: late,
    said: [earlier(first, 500)],
  },
  {
    what: 'has the checkpoint at which the key was replaced, by the old key',
    key: keyOf(second),
    pack: () => packBy(first, atTheEnd),
    said: [earlier(first, 300)],
  },
  {
    what: 'is of the new key, while the checkpoint that was kept is of the old one',
    key: keyOf(second),
    pack: () => packBy(second, atTheEnd),
    kept: log.checkpoint,
    said: ['The checkpoint you kept is of the same events.', earlier(first, 300, 'The checkpoint you kept')],
  },
  {
    what: 'is of the old key, while the checkpoint that was kept is of the new one',
    key: keyOf(first),
    pack: () => packBy(first, keyChanges(keyChange(first, second, 300, { root: ROOT }))),
    kept: checkpointBy(second),
    said: [
      'The checkpoint you kept is of the same events.',
      later(second, MEMBER, 'The checkpoint you kept').replace('120', '300'),
    ],
  },
  {
    what: 'is of the new key, as the policy wants',
    key: keyOf(first),
    pack: () => packBy(second, once),
    policy: `log ${keyOf(second)}\nquorum none\n`,
    said: [later(second, MEMBER), 'No witness of the policy cosigned checkpoint.txt, and the policy needs none.'],
  },
];

/** A list of two changes, the key that its pack is verified with, and that pack with another list, which nobody has signed. */
export const aReplacedKey = {
  list: twice,
  key: keyOf(first),
  packs: async (): Promise<(list: Buffer) => Promise<Buffer>> => {
    const members = await membersOf(await packBy(third, twice));
    return (list) => zipped(new Map([...members, [MEMBER, list]]));
  },
};

const isNoList = `${MEMBER} is no list of notes of seven lines and two signatures, with an empty line between them`;
const isUndecided = `note 1 of ${MEMBER} does not say in the JSON of RFC 8785 who decided it, when and why (actor, at, reason)`;
const notSigned = (signer: Signer, number = 1): string =>
  `note ${number} of ${MEMBER} is not signed by the key ${short(signer)}`;

/** A pack of the new key whose list is bad. */
const badList = (what: string, changes: string, fault: string): ReplacedKeyPack => ({
  what: `has a list ${what}`,
  key: keyOf(first),
  pack: () => packBy(second, changes),
  fault,
});

/** The same of a list of one note. */
const badChange = (what: string, odd: OddChange, fault: string, size: number | string = 120): ReplacedKeyPack =>
  badList(what, keyChange(first, second, size, odd), fault);

const elsewhere = signerNamed('other.example', 'second');

const badLists: ReadonlyArray<ReplacedKeyPack> = [
  badList('that is empty', '', isNoList),
  badList('that is one line', '\n', isNoList),
  badList('that ends with an empty line', `${once}\n`, isNoList),
  badList('with something behind it', `${once}junk`, isNoList),
  badList('with a space behind it', `${once} `, isNoList),
  badList('that begins with an empty line', `\n${once}`, isNoList),
  badList('of notes without an empty line between them', `${once}${keyChange(second, third, 200)}`, isNoList),
  badList('of notes with two empty lines between them', [once, once].join('\n\n'), isNoList),
  badList('that is cut off', once.slice(0, -1), isNoList),
  badChange('with one signature', { signers: [first] }, isNoList),
  badChange('with three signatures', { signers: [first, second, third] }, isNoList),
  badChange('that the old key alone has signed, twice', { signers: [first, first] }, notSigned(second)),
  badChange('that the new key alone has signed, twice', { signers: [second, second] }, notSigned(first)),
  badChange('that another key has signed', { signers: [first, third] }, notSigned(second)),
  badList(
    'whose signature does not fit',
    once.replace('once a year', 'once a week'),
    `the signature of note 1 of ${MEMBER} does not fit: it was changed, or is forged`,
  ),
  badList(
    'with a control character',
    once.replace('once a year', 'once a\tyear'),
    `note 1 of ${MEMBER} has a control character`,
  ),
  badList(
    'with a line that is no signature',
    once.replace(/\n\u2014 .*\n$/, '\nx\n'),
    `note 1 of ${MEMBER} has a line after its text that is no signature`,
  ),
  badList(
    'of notes in the wrong order',
    keyChanges(keyChange(second, third, 200), keyChange(first, second, 120)),
    `note 2 of ${MEMBER} does not begin with the key that the note before it ended with`,
  ),
  badList(
    'that leaves a key out',
    keyChanges(keyChange(first, second, 120), keyChange(third, stranger, 200)),
    `note 2 of ${MEMBER} does not begin with the key that the note before it ended with`,
  ),
  badList(
    'of a key in place of itself',
    keyChange(first, first, 120),
    `note 1 of ${MEMBER} puts a key in place that the log has had before`,
  ),
  badList(
    'in which a key comes back',
    keyChanges(keyChange(first, second, 120), keyChange(second, first, 200)),
    `note 2 of ${MEMBER} puts a key in place that the log has had before`,
  ),
  badList(
    'in which the log shrinks',
    keyChanges(keyChange(first, second, 120), keyChange(second, third, 119)),
    `note 2 of ${MEMBER} is of fewer events than the note before it, or of others`,
  ),
  badList(
    'in which the log has two roots at one size',
    keyChanges(keyChange(first, second, 120), keyChange(second, third, 120, { root: ROOT })),
    `note 2 of ${MEMBER} is of fewer events than the note before it, or of others`,
  ),
  badChange(
    'of another origin',
    { change: (text) => text.replace(ORIGIN, 'other.example') },
    `note 1 of ${MEMBER} is of another log than its keys`,
  ),
  badList(
    'of a key of another log',
    keyChange(first, elsewhere, 120),
    `note 1 of ${MEMBER} is of another log than its keys`,
  ),
  badChange(
    'of another decision',
    { change: (text) => text.replace('replaced', 'renewed') },
    `note 1 of ${MEMBER} does not say that a key was replaced`,
  ),
  badChange('with a line more', { change: (text) => text.replace('\n', '\n\n') }, isNoList),
  badChange(
    'whose key is none',
    { change: (text) => text.replace(keyOf(second), `${ORIGIN}+x`) },
    `note 1 of ${MEMBER}: the key is not of the form NAME+ID+BASE64`,
  ),
  badChange('of nothing', {}, `note 1 of ${MEMBER} is of a key that has sealed nothing`, 0),
  badChange('of a size with a sign', {}, `note 1 of ${MEMBER} has no size and root`, '+120'),
  badChange('of a size that is too large', {}, `note 1 of ${MEMBER} has no size and root`, 2 ** 53),
  badChange('of a short root', { root: Buffer.alloc(31) }, `note 1 of ${MEMBER} has no size and root`),
  badChange('with a space in its JSON', { decided: JSON.stringify(DECIDED).replace(',', ', ') }, isUndecided),
  badChange('with members in another order', { decided: '{"at":"x","actor":"y","reason":"z"}' }, isUndecided),
  badChange('with a member twice', { decided: '{"actor":"y","at":"x","reason":"y","reason":"z"}' }, isUndecided),
  badChange('without a reason', { decided: '{"actor":"y","at":"x"}' }, isUndecided),
  badChange('with a member more', { decided: canonicalJson({ ...DECIDED, via: 'x' }) }, isUndecided),
  badChange('with a reason that is no text', { decided: canonicalJson({ ...DECIDED, reason: 1 }) }, isUndecided),
  badChange('whose last line is no JSON', { decided: 'x' }, isUndecided),
  badChange('whose last line is null', { decided: 'null' }, isUndecided),
  badChange('with JSON that is nested too deeply', { decided: `${'['.repeat(200)}${']'.repeat(200)}` }, isUndecided),
  badChange(
    'of 64 KiB',
    { decided: canonicalJson({ ...DECIDED, reason: 'x'.repeat(65_536) }) },
    `${MEMBER} is longer than 64 KiB`,
  ),
];

const notOfLog = (signer: Signer): string => `manifest.txt is not signed by the key ${short(signer)}`;
const beyond = (what: string, by: Signer, size: number): string =>
  `${what} is of 300 events, and the key that signed it, ${short(by)}, was replaced after ${size}: it has sealed nothing beyond`;
const otherRoot = (what: string): string =>
  `${what} has another root than the one that both keys signed when ${short(first)} was replaced`;

const badKeys: ReadonlyArray<ReplacedKeyPack> = [
  {
    what: 'has a fork by who has the old key, who cannot reach the new one',
    key: keyOf(second),
    pack: () => packBy(stranger, keyChanges(keyChange(first, stranger, 120))),
    fault: notOfLog(second),
  },
  {
    what: 'has a change that was made up by who has no key of the log',
    key: keyOf(second),
    pack: () => packBy(stranger, keyChange(stranger, second, 400, { signers: [stranger, stranger] })),
    fault: notSigned(second),
  },
  {
    what: 'has a key before the old one, by who has the old one, for more events than that one has sealed',
    key: keyOf(second),
    pack: () => packBy(stranger, keyChanges(keyChange(stranger, first, 500), keyChange(first, second, 120))),
    fault: `note 2 of ${MEMBER} is of fewer events than the note before it, or of others`,
  },
  {
    what: 'has a fork, and a list was given that does not have it',
    key: keyOf(first),
    pack: () => packBy(stranger, keyChanges(keyChange(first, stranger, 120))),
    changes: once,
    fault: 'manifest.txt is signed by none of the 2 keys that the log has had',
  },
  {
    what: 'is of a key that was replaced before',
    key: keyOf(second),
    pack: () => packBy(first, once),
    fault: beyond('checkpoint.txt', first, 120),
  },
  {
    what: 'is of the key itself, which was replaced before',
    key: keyOf(first),
    pack: () => packBy(first),
    changes: once,
    fault: beyond('checkpoint.txt', first, 120),
  },
  {
    what: 'has another root where the key was replaced',
    key: keyOf(second),
    pack: () => packBy(first, keyChanges(keyChange(first, second, 300))),
    fault: otherRoot('checkpoint.txt'),
  },
  {
    what: 'has another root where the key was replaced, by the new key',
    key: keyOf(second),
    pack: () => packBy(second, keyChanges(keyChange(first, second, 300))),
    fault: otherRoot('checkpoint.txt'),
  },
  {
    what: 'has a list that is not that of its key',
    key: keyOf(third),
    pack: () => packBy(third, once),
    fault: `${MEMBER} is not that of the key in key.txt`,
  },
  {
    what: 'comes with a list that is not that of the key',
    key: keyOf(third),
    pack: () => packBy(third),
    changes: once,
    fault: `${GIVEN} is not that of the key ${short(third)}`,
  },
  {
    what: 'comes with a list that is too long',
    key: keyOf(first),
    pack: () => packBy(first),
    changes: 'x'.repeat(65_537),
    fault: `${GIVEN} is longer than 64 KiB`,
  },
  {
    what: 'comes with a list that is none',
    key: keyOf(first),
    pack: () => packBy(first),
    changes: 'x',
    fault: isNoList.replace(MEMBER, GIVEN),
  },
  {
    what: 'has a bad list, whatever was given',
    key: keyOf(first),
    pack: () => packBy(second, `${once}x`),
    changes: once,
    fault: isNoList,
  },
  {
    what: 'comes with a list that is not UTF-8',
    key: keyOf(first),
    pack: () => packBy(first),
    changes: Buffer.of(0xff),
    fault: `${GIVEN} is not UTF-8`,
  },
  {
    what: 'has a list of two GB, which is said to be short',
    key: keyOf(second),
    pack: async () => {
      const { members, end } = partsOf(await packBy(second, once));
      const isList = ({ entry }: ZipMemberParts): boolean => entry.includes(MEMBER);
      return zipOf({ members: members.map((one) => (isList(one) ? packedAs(one, bomb()) : one)), end });
    },
    fault: `${MEMBER} cannot be read out of the ZIP: it is damaged`,
  },
  {
    what: 'has a checkpoint by another key of the log than its manifest',
    key: keyOf(second),
    pack: async () => packedAgain(await packBy(first, atTheEnd), [second], { 'key.txt': `${keyOf(second)}\n` }),
    fault: `checkpoint.txt is not signed by the key ${short(second)}`,
  },
  {
    what: 'has a manifest by another key of the log than key.txt',
    key: keyOf(second),
    pack: async () => packedAgain(await packBy(first, atTheEnd), [second]),
    fault: 'key.txt is not the key of the log',
  },
  {
    what: 'has a manifest that two keys of the log have signed',
    key: keyOf(second),
    pack: async () => packedAgain(await packBy(second, atTheEnd), [first, second]),
    fault: 'manifest.txt is signed by more than one key that the log has had',
  },
  {
    what: 'has a list that its manifest does not have',
    key: keyOf(second),
    pack: async () => {
      const members = new Map(await membersOf(await packBy(second)));
      return zipped(members.set(MEMBER, Buffer.from(once)));
    },
    fault: `${MEMBER} is in the ZIP, and manifest.txt does not list it`,
  },
  {
    what: 'comes with a kept checkpoint beyond what its key has sealed',
    key: keyOf(second),
    pack: () => packBy(second, once),
    kept: log.checkpoint,
    fault: beyond('the checkpoint you kept', first, 120),
  },
  {
    what: 'comes with a kept checkpoint of another root than both keys signed',
    key: keyOf(second),
    pack: () => packBy(second, once),
    kept: checkpointBy(first, 120, ROOT),
    fault: otherRoot('the checkpoint you kept'),
  },
  {
    what: 'comes with a kept checkpoint of another history',
    key: keyOf(second),
    pack: () => packBy(second, keyChanges(keyChange(first, second, 400))),
    kept: checkpointBy(first, 300, leafDataOf('another history', 0)),
    fault: 'the checkpoint you kept has the same size and another root: its keys have signed two histories',
  },
  {
    what: 'comes with a kept checkpoint of a key that the log never had',
    key: keyOf(second),
    pack: () => packBy(second, once),
    kept: checkpointBy(stranger),
    fault: 'the checkpoint you kept is signed by none of the 2 keys that the log has had',
  },
  {
    what: 'comes with a kept checkpoint that both keys have signed',
    key: keyOf(second),
    pack: () => packBy(second, once),
    kept: noteBy(`${log.checkpoint.split('\n\n')[0]}\n`, [first, second]),
    fault: 'the checkpoint you kept is signed by more than one key that the log has had',
  },
  {
    what: 'is of a new key, and the policy of the old one',
    key: keyOf(first),
    pack: () => packBy(second, once),
    policy: `log ${keyOf(first)}\nquorum none\n`,
    fault: 'the policy is for other logs than that of the key',
  },
];

export const replacedKeyPacks: ReadonlyArray<ReplacedKeyPack> = [...good, ...badLists, ...badKeys];

/** What a verifier says of keys, witnesses and kept checkpoints: all between what it says of the report and of the end. */
export const saidOfKeys = (sentences: ReadonlyArray<string>): ReadonlyArray<string> =>
  sentences.slice(
    1 + sentences.findIndex((sentence) => sentence.startsWith('report.html says')),
    sentences.findIndex((sentence) => sentence.startsWith('This cannot show')),
  );
