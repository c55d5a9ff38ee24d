import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Json } from '../../src/event-sourcing/canonical-json.js';
import type { StreamName } from '../../src/event-sourcing/recorded-event.js';
import { exportLog } from '../../src/event-sourcing/whole-log/export-log.js';
import type { LogTarget } from '../../src/event-sourcing/whole-log/log-target.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { appendChained, businessStream, interleaved, makeChains } from '../support/chained-events.js';
import { oneKey } from '../support/event-keys.js';
import { startMemoryStack } from '../support/memory-stack.js';
import { hasPython } from '../support/python.js';
import { needs } from '../support/needs.js';

const scriptIn = (page: string): string => /```python\n([\s\S]*?)```/.exec(page)?.[1] ?? '';

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
  nested: [{ b: null, a: [true, false, []] }, {}],
};

describe('docs/verify.md', function () {
  this.timeout(20_000);

  let page: string;
  let directory: string;
  let log: LogTarget;

  before(async function () {
    needs(this, hasPython(), 'python3, in which the script is written');
    directory = await mkdtemp(path.join(tmpdir(), 'verify-'));
    page = await readFile('docs/verify.md', 'utf8');
    await writeFile(path.join(directory, 'verify.py'), scriptIn(page));
    log = makeInMemoryEventStore();
    const chains = makeChains();
    await appendChained(log, chains, ...interleaved(4, 10));
    const stream: StreamName = 'business-odd';
    for (const data of [NUMBERS, TEXTS]) {
      const { event, revision } = chains(stream, data);
      await log.append(stream, revision === 0n ? 'no-stream' : revision - 1n, [event]);
    }
  });

  after(async () => {
    if (hasPython()) await rm(directory, { recursive: true });
  });

  const exported = async (withData: boolean, store = log): Promise<string> => {
    let text = '';
    const selection = { _tag: 'Log', category: undefined, since: undefined } as const;
    for await (const page of exportLog(store, selection, withData)) text += page.text;
    return text;
  };

  /** What the script prints, and how it ends. */
  const verify = async (text: string): Promise<readonly [code: number, said: string]> => {
    const file = path.join(directory, 'log.ndjson');
    await writeFile(file, text);
    return new Promise((resolve) => {
      const script = execFile('python3', [path.join(directory, 'verify.py'), file], (_error, stdout, stderr) =>
        resolve([script.exitCode ?? -1, stdout + stderr]),
      );
    });
  };

  it('has a script that finds an export whole, every kind of number and text included', async () => {
    expect(await verify(await exported(true))).to.deep.equal([0, '42 events in 5 streams, every chain intact\n']);
  });

  it('has a script that verifies events with a mac as any others', async () => {
    const sealing = makeInMemoryEventStore();
    await appendChained(sealing, makeChains(oneKey), ...interleaved(2, 3));
    for (const withData of [true, false]) {
      const text = await exported(withData, sealing);
      expect(text.match(/"mac":"/g)).to.have.length(6);
      expect(await verify(text)).to.deep.equal([0, '6 events in 2 streams, every chain intact\n']);
      const [code, words] = await verify(text.replace(/"mac":"[^"]*",/, ''));
      expect([code, words]).to.deep.equal([
        1,
        `line 1, ${businessStream(0)}, revision 0: hash does not match the event\n`,
      ]);
    }
  });

  it('has a script that finds an export without data whole', async () => {
    const text = await exported(false);
    expect(text).not.to.include('"salt"').and.not.to.include('"data"');
    expect(await verify(text)).to.deep.equal([0, '42 events in 5 streams, every chain intact\n']);
  });

  for (const [what, change, said] of [
    [
      'data was changed',
      (lines: Array<string>) => lines.with(20, lines[20]!.replace('1 555', '1 556')),
      /^line 21, business-\S+, revision 5: dataHash does not match data\n$/,
    ],
    [
      'the actor was changed',
      (lines: Array<string>) => lines.with(7, lines[7]!.replace('alice', 'mallory')),
      /^line 8, .*: hash does not match the event\n$/,
    ],
    [
      'an event was dropped',
      (lines: Array<string>) => lines.toSpliced(12, 1),
      /^line 16, .*, revision 4: revision 4, expected 3\n$/,
    ],
    [
      'two events changed places',
      (lines: Array<string>) => [...lines.slice(0, 4), lines[8]!, ...lines.slice(5, 8), lines[4]!, ...lines.slice(9)],
      /^line 5, .*, revision 2: revision 2, expected 1\n$/,
    ],
    [
      'data was withheld and its salt was not',
      (lines: Array<string>) => lines.with(3, lines[3]!.replace(/"data":\{.*?\},/, '')),
      /^line 4, .*: dataHash does not match data\n$/,
    ],
    [
      'the salt was withheld and the data was not',
      (lines: Array<string>) => lines.with(3, lines[3]!.replace(/,"salt":"[^"]*"/, '')),
      /^line 4, .*: data without its salt cannot be verified\n$/,
    ],
  ] as const)
    it(`has a script that says so when ${what}`, async () => {
      const lines = (await exported(true)).split('\n');
      const [code, words] = await verify(change(lines).join('\n'));
      expect(code).to.equal(1);
      expect(words).to.match(said);
    });

  it('checks what a GET with proof answered, and finds what was changed in it', async () => {
    const stack = await startMemoryStack({ ports: () => ({ eventKey: oneKey }) });
    const Authorization = `Bearer ${stack.tokenFor('admin')}`;
    const send = async (
      method: string,
      at: string,
      body: object,
      more: Readonly<Record<string, string>> = {},
    ): Promise<string> => {
      const headers = { Authorization, 'Content-Type': 'application/json', ...more };
      const response = await fetch(stack.baseUrl + at, { method, headers, body: JSON.stringify(body) });
      return ((await response.json()) as { _id: string })._id;
    };
    const id = await send('POST', '/api/v1/business', { name: 'Acme', businessType: 'LLC', netWorth: 1.5e300 });
    await send('PUT', `/api/v1/business/${id}`, { phone: '+1 555 0100' }, { 'Change-Reason': 'asked by phone' });
    const [, before = '', convert = ''] = /```sh\n(curl .*?) \| (python3 -c '.*?') > /s.exec(page) ?? [];
    expect(before).to.include('/events?proof=true');
    const answer = await fetch(`${stack.baseUrl}/api/v1/business/${id}/events?proof=true`, {
      headers: { Authorization },
    });
    const answered = await answer.text();
    expect(answered.match(/"mac":"/g)).to.have.length(2);
    const lines = (text: string): string => execFileSync('sh', ['-c', convert], { input: text, encoding: 'utf8' });
    expect(await verify(lines(answered))).to.deep.equal([0, '2 events in 1 streams, every chain intact\n']);
    for (const [sealed, changed] of [
      ['1 555', '1 556'],
      ['"$reason":"asked', '"$reason":"begged'],
    ] as const) {
      expect(answered).to.include(sealed);
      const [code, words] = await verify(lines(answered.replace(sealed, changed)));
      expect([code, words]).to.deep.equal([1, `line 2, business-${id}, revision 1: dataHash does not match data\n`]);
    }
    await stack.stop();
  });
});
