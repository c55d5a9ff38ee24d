import { expect } from 'chai';
import fc from 'fast-check';
import { canonicalJson, type Json } from '../../src/event-sourcing/canonical-json.js';
import { eventHash, GENESIS_HASH } from '../../src/event-sourcing/envelope.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import type { StreamName } from '../../src/event-sourcing/recorded-event.js';
import { requireMac } from '../../src/event-sourcing/operators/require-mac.js';
import { signNote } from '../../src/seal/note.js';
import { renderVerifier } from '../../src/seal/note-key.js';
import { appendChained, businessStream, interleaved, makeChains, wholeLog } from '../support/chained-events.js';
import { oneKey } from '../support/event-keys.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { needs } from '../support/needs.js';
import { hasPython } from '../support/python.js';
import { checkpointOver, exportedText, KEY, leavesOf, SIGNER, signerNamed } from '../support/sealed-log.js';
import { right } from '../support/sealed-tree.js';
import { refusal, runVerifyPy, startVerifyPy, type Verified, type VerifyPy } from '../support/verify-py.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

const NUMBERS = [0, -0, 1, -1, 0.1, 1e20, 123456789012345680000, 1e21, -1.5e21, 1e-6, 1e-7, 1.23e-7, 5e-324, 2 ** 53]
  .concat([
    1.7976931348623157e308,
    4.35,
    Number('333333333.33333329'),
    100,
    1e5,
    Number('9007199254740993'),
    0.000001234,
  ])
  .concat(fc.sample(fc.double({ noNaN: true, noDefaultInfinity: true }), { numRuns: 2_000, seed: 8785 }));

const TEXTS: Json = {
  '😀': 'keys sort by UTF-16 code units',
  ﬁ: 'so this one comes last',
  '': '"\\/\b\f\n\r\t\u0000\u001f\u007f\u2028é',
  half: '\ud800 and \udc00',
  nested: [{ b: null, a: [true, false, []] }, {}],
};

const appendData = async (store: EventStore, stream: StreamName, ...all: ReadonlyArray<Json>): Promise<void> => {
  const chains = makeChains();
  for (const data of all) {
    const { event, revision } = chains(stream, data);
    await store.append(stream, revision === 0n ? 'no-stream' : revision - 1n, [event]);
  }
};

const UNSEALED = 'This cannot show whether a stream or the end of one is missing; --checkpoint and --key show it.\n';
const ALL_DATA = 'All data was there and is what was sealed.\n';

describe('verify.py export', function () {
  this.timeout(180_000);

  const log = makeInMemoryEventStore();
  let text: string;
  let lines: ReadonlyArray<string>;
  let python: VerifyPy;

  before(async function () {
    needs(this, hasPython(), 'python3, in which the verifier is written');
    await appendChained(log, makeChains(), ...interleaved(4, 10));
    await appendData(log, 'business-odd', NUMBERS, TEXTS);
    await appendData(log, 'operations-seal', {});
    text = await exportedText(log, true);
    lines = text.split('\n');
    python = await startVerifyPy();
  });
  after(async () => {
    if (hasPython()) await python.stop();
  });

  const verifyText = async (given: string | Uint8Array): Promise<Verified> =>
    python.run('export', await python.file('log.ndjson', given));

  it('finds an export whole, every kind of number and text included', async () => {
    expect(await runVerifyPy(['export', await python.file('log.ndjson', text)])).to.deep.equal({
      code: 0,
      out: `43 events in 6 streams: every chain is intact.\n${ALL_DATA}${UNSEALED}`,
      error: '',
    });
  });

  it('verifies events with a mac as any others', async () => {
    const sealing = makeInMemoryEventStore();
    await appendChained(sealing, makeChains(oneKey), ...interleaved(2, 3));
    const sealed = await exportedText(sealing, true);
    expect(sealed.match(/"mac":"/g)).to.have.length(6);
    expect((await verifyText(sealed)).out).to.match(/^6 events in 2 streams: every chain is intact\.\n/);
    expect(await verifyText(sealed.replace(/"mac":"[^"]*",/, ''))).to.deep.equal(
      refusal(`line 1, ${businessStream(0)}, revision 0: hash does not match the event`),
    );
  });

  it('finds an export without data whole, and says how much data it has not seen', async () => {
    const withheld = await exportedText(log, false);
    expect(withheld).not.to.include('"salt"').and.not.to.include('"data"');
    expect(await verifyText(withheld)).to.deep.equal({
      code: 0,
      out: `43 events in 6 streams: every chain is intact.\n43 events have their data withheld: nothing was verified of it.\n${UNSEALED}`,
      error: '',
    });
  });

  it('takes an event whose data was erased together with its salt, and counts it', async () => {
    for (const data of ['{}', 'null']) {
      const erased = text.replace(/"data":\{.*?\},"meta/, `"data":${data},"meta`).replace(/,"salt":"[^"]*"/, '');
      expect((await verifyText(erased)).out).to.include('1 event has its data withheld: nothing was verified of it.');
    }
  });

  const at = (line: number, change: (line: string) => string) => (all: ReadonlyArray<string>) =>
    all.with(line - 1, change(all[line - 1]!));
  const put = (from: string | RegExp, to: string) => (line: string) => {
    if (typeof from === 'string') expect(line).to.include(from);
    else expect(line).to.match(from);
    return line.replace(from, to);
  };

  for (const [what, change, said] of [
    [
      'data was changed',
      at(21, put('1 555', '1 556')),
      /^line 21, business-\S+, revision 5: dataHash does not match data$/,
    ],
    ['the actor was changed', at(8, put('alice', 'mallory')), /^line 8, .*: hash does not match the event$/],
    ['the time was changed', at(8, put('2026-01', '2025-01')), /^line 8, .*: hash does not match the event$/],
    ['the type was changed', at(8, put('Updated"', 'Deleted"')), /^line 8, .*: hash does not match the event$/],
    ['the id was changed', at(8, put(/"id":"./, '"id":"x')), /^line 8, .*: hash does not match the event$/],
    ['the hash was changed', at(8, put(/"hash":"./, '"hash":"x')), /^line 8, .*: hash does not match the event$/],
    ['the salt was replaced', at(8, put(/"salt":"..../, '"salt":"AAAA')), /^line 8, .*: dataHash does not match data$/],
    ['the salt has spare bits', at(8, put(/(?<="salt":".{21})./, '_')), /^line 8, .*: dataHash does not match data$/],
    ['the salt has a padding', at(8, put(/(?<="salt":".{22})/, '==')), /^line 8, .*: dataHash does not match data$/],
    [
      'an event was dropped',
      (all: ReadonlyArray<string>) => all.toSpliced(12, 1),
      /^line 16, .*, revision 4: revision 4, expected 3$/,
    ],
    [
      'an event is there twice',
      (all: ReadonlyArray<string>) => all.toSpliced(12, 0, all[12]!),
      /^line 14, .*, revision 3: revision 3, expected 4$/,
    ],
    [
      'two events changed places',
      (all: ReadonlyArray<string>) => all.with(4, all[8]!).with(8, all[4]!),
      /^line 5, .*, revision 2: revision 2, expected 1$/,
    ],
    [
      'an event names another one before it',
      at(8, put(/"previousHash":"./, '"previousHash":"x')),
      /^line 8, .*: previousHash is not the hash of the event before it$/,
    ],
    [
      'data was withheld and its salt was not',
      at(4, put(/"data":\{.*?\},/, '')),
      /^line 4, .*: dataHash does not match data$/,
    ],
    [
      'the salt was withheld and the data was not',
      at(4, put(/,"salt":"[^"]*"/, '')),
      /^line 4, .*: data without its salt cannot be verified$/,
    ],
    ['a line is no JSON', at(3, () => '{"stream":'), /^line 3: is no JSON$/],
    ['a line has JSON twice', at(3, (line) => line + line), /^line 3: is no JSON$/],
    ['a line is empty', at(3, () => ''), /^line 3: is no JSON$/],
    ['a line is no object', at(3, () => '[]'), /^line 3: is no JSON object$/],
    ['a line has a number that is none', at(3, () => '{"a":NaN}'), /^line 3: is no JSON$/],
    ['a line has a number beyond all', at(3, () => '{"a":1e999}'), /^line 3: has a number that is too large$/],
    [
      'a line has more brackets than anybody reads',
      at(3, () => '['.repeat(200_000)),
      /^line 3: is JSON that is nested deeper than 100 levels$/,
    ],
    ['a member stands twice', at(3, put('{', '{"id":"x",')), /^line 3: is JSON with a member that stands there twice$/],
    [
      'a member stands twice in the data',
      at(3, put('"data":{', '"data":{"name":"x",')),
      /^line 3: is JSON with a member that stands there twice$/,
    ],
    ['there is an unknown member', at(3, put('{', '{"x":1,')), /^line 3: has the unknown member x$/],
    ['there is no metadata', at(3, put(/,"metadata":.*/, '}')), /^line 3: has no metadata$/],
    ['there is no id', at(3, put(/"id":"[^"]*",/, '')), /^line 3: its id is no text$/],
    ['the revision is a number', at(3, put('"revision":"0"', '"revision":0')), /^line 3: its revision is no text$/],
    [
      'the revision has a zero too many',
      at(3, put('"revision":"0"', '"revision":"00"')),
      /^line 3: its revision is no whole number$/,
    ],
    [
      'the position is no number',
      at(3, put(/"position":"[^"]*"/, '"position":"x"')),
      /^line 3: its position is no whole number$/,
    ],
    ['there is a space more', at(3, put('"data":', '"data": ')), /^line 3: is not in the one spelling of such a line/],
    [
      'a zero has a sign',
      at(41, put('"data":[0,', '"data":[-0,')),
      /^line 41: is not in the one spelling of such a line/,
    ],
    [
      'a number is spelled in another way',
      at(41, put('1e+21', '1E+21')),
      /^line 41: is not in the one spelling of such a line/,
    ],
    [
      'the members are in another order',
      at(3, put(/("stream":"[^"]*"),("revision":"0")/, '$2,$1')),
      /^line 3: is not in the one spelling of such a line/,
    ],
    [
      'the last line does not end',
      (all: ReadonlyArray<string>) => all.slice(0, -1),
      /^line 43: is not a whole line: the file ends within it$/,
    ],
    ['there is nothing in it', () => [''], /has no events$/],
  ] as const)
    it(`says so when ${what}`, async () => {
      const { code, out, error } = await verifyText(change(lines).join('\n'));
      expect([code, out]).to.deep.equal([1, '']);
      expect(error).to.match(/^NOT VERIFIED: .*\n$/);
      expect(error.slice('NOT VERIFIED: '.length, -1)).to.match(said);
    });

  it('does not take data for verified where neither its salt nor its hash says anything', async () => {
    const place = { stream: 'business-7' as const, id: 'id', type: 'BusinessCreated' };
    for (const salt of ['no salt!', 7]) {
      const sealed = { previousHash: GENESIS_HASH, salt };
      const metadata = { ...sealed, hash: eventHash({ ...place, revision: 0n }, sealed) };
      const { stream, id, type } = place;
      const line = `{"position":"0","stream":"${stream}","revision":"0","id":"${id}","type":"${type}","data":{"a":1},"metadata":${canonicalJson(metadata)}}`;
      expect(await verifyText(`${line}\n`)).to.deep.equal(
        refusal('line 1, business-7, revision 0: dataHash does not match data'),
      );
    }
  });

  it('says so when bytes are no text', async () => {
    expect(await verifyText(Buffer.from('"\xff"\n', 'latin1'))).to.deep.equal(refusal('line 1: the line is not UTF-8'));
  });

  for (const [what, line] of [
    ['lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['objects', `${'{"a":'.repeat(101)}1${'}'.repeat(101)}`],
    ['lists without an end', '['.repeat(100_000)],
  ] as const)
    it(`says so when ${what} are nested in a line`, async () => {
      expect(await verifyText(`${line}\n`)).to.deep.equal(
        refusal('line 1: is JSON that is nested deeper than 100 levels'),
      );
    });

  it('prints no character that a terminal would obey', async () => {
    const line = lines[0]!.replace(/"stream":"[^"]*"/, String.raw`"stream":"business-\u001b[2J"`);
    expect(await verifyText(`${line}\n`)).to.deep.equal(
      refusal(String.raw`line 1, business-\u001b[2J, revision 0: hash does not match the event`),
    );
  });

  it('says so when there is no such file', async () => {
    expect(await python.run('export', 'no-such.ndjson')).to.deep.equal(
      refusal('no-such.ndjson cannot be read: No such file or directory'),
    );
  });

  for (const args of [
    [],
    ['export'],
    ['extort', 'x'],
    ['export', 'x', '--checkpoint', 'y'],
    ['export', 'x', '--policy', 'y'],
    ['export', 'x', '--key', KEY],
    ['tiles', 'x'],
    ['pack', 'x'],
    ['export', 'x', '--check', 'y', '--key', KEY],
  ])
    it(`is used wrongly as "${args.join(' ')}"`, async () => {
      const { code, out, error } = await python.run(...args);
      expect([code, out]).to.deep.equal([2, '']);
      expect(error).to.match(/^usage: .*\n.*error: /s);
    });

  describe('with a checkpoint', () => {
    let leaves: ReadonlyArray<Buffer>;

    before(async () => {
      leaves = leavesOf(await wholeLog(log));
    });

    const against = async (checkpoint: string | Buffer, exported = text, key = KEY): Promise<Verified> => {
      const file = await python.file('log.ndjson', exported);
      return python.run('export', file, '--checkpoint', await python.file('checkpoint', checkpoint), '--key', key);
    };

    it('finds the tree over all events that are in it, with and without data, whatever its size', async () => {
      expect(leaves).to.have.length(42);
      const withheld = await exportedText(log, false);
      for (const size of [1, 2, 3, 7, 8, 9, 31, 32, 33, 41, 42])
        for (const exported of size < 42 ? [text] : [text, withheld]) {
          const { code, out } = await against(checkpointOver(leaves.slice(0, size)), exported);
          expect(code).to.equal(0);
          expect(out).to.include(
            `The first ${size} event${size === 1 ? '' : 's'} of the tree are all that the checkpoint seals; the key signed it.\n` +
              'This cannot show what came after the checkpoint.\n',
          );
        }
    });

    it('counts decisions of operators as leaves, but for those of programs that left them out', async () => {
      const deciding = makeInMemoryEventStore();
      const chains = makeChains();
      await appendChained(deciding, chains, businessStream(0), 'operations-seal', businessStream(1));
      right(
        await requireMac(
          systemRuntime,
          deciding,
          { from: 2, actor: 'olga', at: new Date('2026-01-02T03:04:05.678Z') },
          oneKey,
        ),
      );
      await appendChained(deciding, chains, businessStream(0));
      const decided = leavesOf(await wholeLog(deciding));
      expect(decided).to.have.length(4);
      const { code, out } = await against(checkpointOver(decided), await exportedText(deciding, true));
      expect([code, out.split('\n')[2]]).to.deep.equal([
        0,
        'The first 4 events of the tree are all that the checkpoint seals; the key signed it.',
      ]);
    });

    it('finds the end of a stream cut, and a whole stream removed', async () => {
      const note = checkpointOver(leaves);
      expect(await against(note, lines.toSpliced(39, 1).join('\n'))).to.deep.equal(
        refusal('the checkpoint is of 42 events, and the export has 41: some are missing'),
      );
      const without = lines.filter((line) => !line.includes(businessStream(2)));
      expect(await against(note, without.join('\n'))).to.deep.equal(
        refusal('the checkpoint is of 42 events, and the export has 32: some are missing'),
      );
    });

    it('finds streams that were written anew, and streams that changed places', async () => {
      const moved = lines.with(0, lines[1]!).with(1, lines[0]!);
      const forged = makeInMemoryEventStore();
      await appendChained(forged, makeChains(), ...interleaved(4, 10));
      await appendData(forged, 'business-odd', NUMBERS, TEXTS);
      for (const exported of [moved.join('\n'), await exportedText(forged, true)])
        expect(await against(checkpointOver(leaves), exported)).to.deep.equal(
          refusal('the first 42 events are not those that the checkpoint seals, in their order'),
        );
    });

    const other = signerNamed(SIGNER.verifier.name, 'another key');
    const note = (): string => checkpointOver(leaves);
    const noteOf = (said: string): string => right(signNote(said, SIGNER));
    const [keyName = '', keyId = '', keyBytes = ''] = KEY.split('+', 3);

    for (const [what, checkpoint, said] of [
      [
        'another key has signed it',
        () => checkpointOver(leaves, other),
        `the checkpoint is not signed by the key ${keyName}+${keyId}`,
      ],
      [
        'it was changed',
        () => note().replace('\n42\n', '\n41\n'),
        'the signature of the checkpoint does not fit: it was changed, or is forged',
      ],
      [
        'it has no signature',
        () => note().replace(/\n\n.*/s, '\n\n'),
        'the checkpoint does not end with an empty line and lines that sign it',
      ],
      [
        'it ends within a line',
        () => note().slice(0, -1),
        'the checkpoint does not end with an empty line and lines that sign it',
      ],
      ['it has no text', () => '', 'the checkpoint does not end with an empty line and lines that sign it'],
      [
        'it has a line that is no signature',
        () => `${note()}hello\n`,
        'the checkpoint has a line after its text that is no signature',
      ],
      [
        'its signature is spelled in another way',
        () => note().replace(/(?<= )[^ \n]*\n$/, (line) => line.replace('\n', '=\n')),
        'the checkpoint has a line after its text that is no signature',
      ],
      ['it has a control character', () => note().replace('\n42', '\r\n42'), 'the checkpoint has a control character'],
      ['it is not UTF-8', () => Buffer.of(0xff), 'the checkpoint is not UTF-8'],
      [
        'it is of another log',
        () => noteOf(note().split('\n\n')[0]!.replace(/.*/, 'log.example/other') + '\n'),
        'the checkpoint is of another log than the key: its origin is log.example/other',
      ],
      ['it is about something else', () => noteOf('Dear all,\n'), 'the checkpoint has not exactly three lines of text'],
      [
        'it has a line more',
        () => noteOf(`${note().split('\n\n')[0]!}\nmore\n`),
        'the checkpoint has not exactly three lines of text',
      ],
      [
        'its size is no number',
        () => noteOf(`${keyName}\n042\n${leaves[0]!.toString('base64')}\n`),
        'the checkpoint has no size and root',
      ],
      ['its root is short', () => noteOf(`${keyName}\n42\nAAAA\n`), 'the checkpoint has no size and root'],
      [
        'its root is not base64',
        () => noteOf(`${keyName}\n42\n${leaves[0]!.toString('base64').slice(1)}\n`),
        'the checkpoint has no size and root',
      ],
      [
        'it has more signatures than anybody reads',
        () => note() + note().split('\n\n')[1]!.repeat(100),
        'the checkpoint has more than 100 signatures',
      ],
      [
        'it is of no events',
        () => checkpointOver([]),
        'the checkpoint is of a log without events: there is nothing to verify',
      ],
    ] as const)
      it(`is refused when ${what}`, async () => {
        expect(await against(checkpoint())).to.deep.equal(refusal(said));
      });

    it('takes signatures of others beside that of the key', async () => {
      const [, signature = ''] = checkpointOver(leaves, other).split('\n\n');
      expect((await against(note() + signature)).code).to.equal(0);
    });

    for (const [what, key, said] of [
      ['is empty', '', 'the key is not of the form NAME+ID+BASE64'],
      ['has no name', `+${keyId}+${keyBytes}`, 'the key is not of the form NAME+ID+BASE64'],
      ['has a name with a space', KEY.replace('log', 'the log'), 'the key is not of the form NAME+ID+BASE64'],
      [
        'has a name with a control character',
        KEY.replace('log', 'l\u0001g'),
        'the key is not of the form NAME+ID+BASE64',
      ],
      ['has an id in capitals', KEY.replace(keyId, keyId.toUpperCase()), 'the key is not of the form NAME+ID+BASE64'],
      ['is not base64', KEY.slice(0, -1), 'the key is not of the form NAME+ID+BASE64'],
      ['has another name', KEY.replace('log', 'fog'), 'the id in the key is not that of its name and key'],
      [
        'is of another kind',
        `${keyName}+${keyId}+${Buffer.of(2, ...Buffer.alloc(32)).toString('base64')}`,
        'the key is not a key for Ed25519',
      ],
      ['is short', `${keyName}+${keyId}+${Buffer.of(1, 2, 3).toString('base64')}`, 'the key is not a key for Ed25519'],
      [
        'is not a point of the curve',
        `${keyName}+${keyId}+${Buffer.of(1, 2, ...Buffer.alloc(31)).toString('base64')}`,
        'the key is not a key for Ed25519',
      ],
      [
        'is that of another log',
        renderVerifier(other.verifier),
        `the checkpoint is not signed by the key ${other.verifier.name}+${other.verifier.id}`,
      ],
    ] as const)
      it(`is refused when the key ${what}`, async () => {
        expect(await against(note(), text, key)).to.deep.equal(refusal(said));
      });
  });
});
