import { renderVerifier } from '../../src/seal/note-key.js';
import { makePackedLog, packOf } from './audit-pack.js';
import { signerNamed } from './checkpoints.js';
import { cosignatureLine, witnessKey } from './small-witness.js';

const log = makePackedLog();
const [one, two, three] = [witnessKey('w.example/1', 1), witnessKey('w.example/2', 2), witnessKey('w.example/3', 3)];

const TIME = 1_790_000_000; // 2026-09-21T14:13:20Z

const line = (key: typeof one, time = TIME): string => cosignatureLine(key, log.checkpoint, time);

const WITNESSES = `witness a ${one.vkey} https://one.example\nwitness b ${two.vkey}\nwitness c ${three.vkey}\n`;
const TWO = `${WITNESSES}group two 2 a b c\nquorum two\n`;

const lacks = (by: string): string => `checkpoint.txt lacks the quorum of the policy: it is cosigned by ${by}`;
const wrong = (number: number, why: string): string => `the policy, line ${number}: ${why}`;
const isNoLine = 'it is no line of a policy';

type Witnessed = {
  readonly what: string;
  /** Lines below the checkpoint of the pack. */
  readonly lines: string;
  readonly policy: string;
  /** What a verifier says of the witnesses; of a fault without more. */
  readonly said?: string;
  readonly fault?: string;
};

const both = `${line(one)}${line(three, TIME + 61)}`;
const seen = 'Witnesses saw checkpoint.txt, by their clocks, and that it extends what they saw before: ';

/** A pack of one log, whose checkpoint has cosignatures, and policies: what both verifiers say. */
export const witnessedPacks: ReadonlyArray<Witnessed> = [
  {
    what: 'has its quorum',
    lines: both,
    policy: `# who\n\t log ${log.key}  https://log.example \n${TWO}`,
    said: `${seen}a at 2026-09-21T14:13:20Z, c at 2026-09-21T14:14:21Z.`,
  },
  {
    what: 'has cosignatures of the time of others, and twice',
    lines: `${line(witnessKey('x.example', 9))}${line(three)}${line(three, TIME + 1)}${line(one, 0)}`,
    policy: TWO,
    said: `${seen}a at 1970-01-01T00:00:00Z, c at 2026-09-21T14:13:20Z.`,
  },
  { what: 'has no cosignature', lines: '', policy: TWO, fault: lacks('no witness of it') },
  { what: 'has too few', lines: line(two), policy: TWO, fault: lacks('b at 2026-09-21T14:13:20Z') },
  {
    what: 'has one of a key of the same name',
    lines: `${line({ ...witnessKey('w.example/1', 7) })}${line(two)}`,
    policy: TWO,
    fault: lacks('b at 2026-09-21T14:13:20Z'),
  },
  {
    what: 'has one over another checkpoint',
    lines: `${line(two)}${cosignatureLine(one, log.checkpoint.replace('\n300\n', '\n299\n'), TIME)}`,
    policy: TWO,
    fault: 'the cosignature of w.example/1 does not fit: it was changed, or is forged',
  },
  {
    what: 'has one with another time',
    lines: `${line(two)}${line(one).replace(/(?<=1 .{10})../, 'AA')}`,
    policy: TWO,
    fault: 'the cosignature of w.example/1 does not fit: it was changed, or is forged',
  },
  {
    what: 'has one with a time that no clock shows',
    lines: `${line(two)}${line(one, 253_402_300_800)}`,
    policy: TWO,
    fault: 'a witness gives a time that no clock shows',
  },
  {
    what: 'needs none and has none',
    lines: '',
    policy: `${WITNESSES}quorum none\n`,
    said: 'No witness of the policy cosigned checkpoint.txt, and the policy needs none.',
  },
  {
    what: 'needs groups',
    lines: both,
    policy: `${WITNESSES}group ab any a b\ngroup all all ab c\nquorum all`,
    said: `${seen}a at 2026-09-21T14:13:20Z, c at 2026-09-21T14:14:21Z.`,
  },
  {
    what: 'is of another log than the policy',
    lines: both,
    policy: `log ${renderVerifier(signerNamed('other.example').verifier)}\n${TWO}`,
    fault: 'the policy is for other logs than that of the key',
  },
  { what: 'has a policy without a quorum', lines: both, policy: WITNESSES, fault: 'the policy has no line quorum' },
  { what: 'has two quorums', lines: both, policy: `${TWO}quorum a\n`, fault: wrong(6, 'there is a second quorum') },
  { what: 'has an unknown line', lines: both, policy: `${TWO}__proto__ x\n`, fault: wrong(6, isNoLine) },
  { what: 'has a line without a key', lines: both, policy: 'witness a\n', fault: wrong(1, isNoLine) },
  { what: 'has an empty group', lines: both, policy: `${TWO}group g any\n`, fault: wrong(6, isNoLine) },
  {
    what: 'has a key of the log as a witness',
    lines: both,
    policy: `witness a ${log.key}\n`,
    fault: wrong(1, 'the key of a witness is not one of the signature type 4'),
  },
  {
    what: 'has a key that is no point of the curve',
    lines: both,
    policy: `witness a w.example/1+00000000+${Buffer.of(4, 2, ...Buffer.alloc(31)).toString('base64')}\n`,
    fault: wrong(1, 'the key of a witness is not one of the signature type 4'),
  },
  {
    what: 'has a key under another name',
    lines: both,
    policy: `witness a ${one.vkey.replace('/1', '/9')}\n`,
    fault: wrong(1, 'the id in the key of a witness is not that of its name and key'),
  },
  {
    what: 'has what is no key',
    lines: both,
    policy: 'witness a hello\n',
    fault: wrong(1, 'the key of a witness is not of the form NAME+ID+BASE64'),
  },
  {
    what: 'has a witness twice',
    lines: both,
    policy: `${WITNESSES}witness d ${one.vkey}\n`,
    fault: wrong(4, 'the key of this witness is that of another one'),
  },
  {
    what: 'has a name twice',
    lines: both,
    policy: `${WITNESSES}group a any b\n`,
    fault: wrong(4, 'the name is taken, or there is none'),
  },
  {
    what: 'has a group of what comes later',
    lines: both,
    policy: `group g any a\n${WITNESSES}`,
    fault: wrong(1, 'it names no witness or group of a line before'),
  },
  {
    what: 'has a member twice',
    lines: both,
    policy: `${WITNESSES}group g any a\ngroup h any a b\n`,
    fault: wrong(5, 'a member of it is a member twice'),
  },
  {
    what: 'has a threshold that cannot be met',
    lines: both,
    policy: `${WITNESSES}group g 3 a b\n`,
    fault: wrong(4, 'the number of a group is all, any, or from 1 to the number of its members'),
  },
  {
    what: 'has a policy without end',
    lines: both,
    policy: `${TWO}#${'x'.repeat(70_000)}`,
    fault: 'the policy is longer than 64 KiB',
  },
];

/** The pack of one of them. */
export const witnessedPack = ({ lines }: Pick<Witnessed, 'lines'>): Promise<Buffer> =>
  packOf(log.sources({ checkpoint: `${log.checkpoint}${lines}` }));
