import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { type MemoryStack, type MemoryStackOptions, startMemoryStack } from '../../support/memory-stack.js';
import { SECRET } from '../../support/tokens.js';
import { coverageTable, unreached } from './coverage.js';
import { fuzz, repeatCase, type Target } from './run.js';
import type { Case } from './session.js';
import { MAX_UPLOAD_BYTES } from './mutations/form.js';

const CASES = 4_000;

// The same requests in every run; `npm run fuzz` chooses others each time.
const SEED = 20_261_121;

describe('whatever is asked', function () {
  this.timeout(180_000);

  const stacks: Array<MemoryStack> = [];

  const start = async (options: MemoryStackOptions = {}): Promise<Target & Pick<MemoryStack, 'log'>> => {
    const metrics = () => Promise.resolve({ contentType: 'text/plain', body: '' });
    const stack = await startMemoryStack({ metrics, maxUploadBytes: MAX_UPLOAD_BYTES, ...options });
    stacks.push(stack);
    return { baseUrl: stack.baseUrl, secret: SECRET, log: stack.log };
  };

  afterEach(async () => {
    await Promise.all(stacks.splice(0).map((stack) => stack.stop()));
  });

  it(`is answered as the document says, in ${CASES} cases (seed ${SEED})`, async () => {
    const target = await start();
    const { operations, coverage, failures, cases } = await fuzz(target, { seed: SEED, cases: CASES, workers: 1 });
    const described = failures.describe((number) => `npm run fuzz -- --seed ${SEED} --case ${number}`);
    if (failures.count() > 0) console.log(`${described}\n\n${coverageTable(operations, coverage)}`);
    expect(failures.count(), 'kinds of failures').to.equal(0);
    expect(unreached(operations, coverage), 'documented, but never answered').to.deep.equal([]);
    expect(target.log.filter(({ level }) => level === 'error')).to.deep.equal([]);
    expect(cases).to.equal(CASES);
  });

  /** What was asked and answered, without what is another in each service: identifiers, tickets, and when it was. */
  const outline = ({ number, mutation, wire, answer }: Case): string =>
    `${number} ${mutation}: ${wire.method} ${wire.path} ${wire.body?.toString() ?? ''} ${answer?.status ?? 0}`
      .replace(/\/[\w-]+\.[\w-]{43}/g, '/…')
      .replace(/[0-9a-f]{7,8}(-|%2D)?[0-9a-f]{4}-?7[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}/gi, '…')
      .replace(/20\d\d-\d\d-\d\dT\d\d(:|%3A)\d\d(:|%3A)\d\d\.\d{3}Z/g, '…');

  it('is asked again under the same seed, all of it or one case', async () => {
    const first: Array<string> = [];
    const second: Array<string> = [];
    const options = { seed: 7, cases: 300, workers: 1 };
    await fuzz(await start(), { ...options, onCase: (asked) => first.push(outline(asked)) });
    await fuzz(await start(), { ...options, onCase: (asked) => second.push(outline(asked)) });
    expect(second).to.deep.equal(first);
    expect(outline(await repeatCase(await start(), 7, 150))).to.equal(first[150]);
  });

  it('is described in full, with how to repeat it, when the service fails', async () => {
    const lost = () => Promise.resolve(E.left({ _tag: 'FileUnavailable' as const, cause: new Error('lost') }));
    const target = await start({ ports: ({ storage }) => ({ storage: { ...storage, open: lost } }) });
    const { failures } = await fuzz(target, { seed: SEED, cases: 500, workers: 1 });
    const described = failures.describe((number) => `repeat ${number}`);
    expect(failures.count()).to.equal(3);
    expect(described.match(/^\d+ × .*$/gm)?.map((line) => line.replace(/^\d+ × /, ''))).to.have.members([
      'getDocumentFile 503 the service failed',
      'getLinkedDocumentFile 503 the service failed',
      'revertDocument 503 the service failed',
    ]);
    expect(described).to.match(
      /^\d+ × getDocumentFile 503 the service failed\ncase (\d+): getDocumentFile, .*repeat \1$/ms,
    );
    expect(described).to.match(/ {2}> (GET|HEAD) \/api\/v1\/document\/.*"status":503/s);
  });
});
