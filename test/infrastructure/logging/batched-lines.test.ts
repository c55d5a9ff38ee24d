import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';

const children = new Set<ChildProcess>();

/** A process that logs: `log` is the service's logger, `tell` writes to standard error past it. */
const logging = (program: string): ChildProcess & { readonly stdout: Readable; readonly stderr: Readable } => {
  const preamble = `
    import { writeSync } from 'node:fs';
    import { makeLogger } from './src/infrastructure/logging/logger.ts';
    const log = makeLogger('info', process.stdout.isTTY);
    const tell = (text) => writeSync(2, text);
  `;
  const args = ['--import', 'tsx', '--input-type=module', '-e', preamble + program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  return child;
};

const messagesIn = (log: string): ReadonlyArray<unknown> =>
  log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { readonly msg: unknown }).msg); // reason: the log is JSON lines

/** What the log of a process that ended by itself holds. */
const loggedBy = async (program: string): Promise<ReadonlyArray<unknown>> => {
  const child = logging(program);
  child.stderr.resume();
  return messagesIn(await text(child.stdout));
};

describe('log lines in batches', function () {
  // up to four processes one after the other, which start slowly on a busy machine
  this.timeout(120_000);

  afterEach(() => {
    for (const child of children) child.kill('SIGKILL');
    children.clear();
  });

  it('has an error written at once, with all lines before it', async () => {
    const program = `log.info('one'); log.warn('two'); log.error('three'); process.kill(process.pid, 'SIGKILL');`;
    expect(await loggedBy(program)).to.deep.equal(['one', 'two', 'three']);
  });

  it('writes the lines of a process that goes on', async () => {
    const child = logging(`log.info('one'); setInterval(() => undefined, 1000);`);
    const [line] = (await once(child.stdout, 'data')) as [Buffer]; // reason: a stream without an encoding gives Buffers
    child.kill('SIGKILL');
    expect(messagesIn(line.toString())).to.deep.equal(['one']);
  });

  it('loses no line when the process has nothing left to do, exits, or has an uncaught exception', async () => {
    expect(await loggedBy(`log.info('one'); log.info('two');`)).to.deep.equal(['one', 'two']);
    expect(await loggedBy(`log.info('one'); process.exit(1);`)).to.deep.equal(['one']);
    expect(await loggedBy(`log.info('one'); throw new Error('a fault');`)).to.deep.equal(['one']);
    const late = `log.info('one'); process.on('exit', () => log.info('two'));`;
    expect(await loggedBy(late)).to.deep.equal(['one', 'two']);
  });

  it('goes on while a reader is slow, and loses no line', async () => {
    const lines = 2000;
    // 600 kB: more than a pipe holds, less than is kept for a reader
    const child = logging(`
      const filler = 'x'.repeat(250);
      for (let line = 0; line < ${lines}; line += 1) log.info({ filler }, String(line));
      setTimeout(() => tell('goes on'), 50);
    `);
    expect(String(await once(child.stderr, 'data'))).to.equal('goes on');
    const numbers = Array.from({ length: lines }, (_, line) => String(line));
    expect(messagesIn(await text(child.stdout))).to.deep.equal(numbers);
  });

  it('waits for a reader that is so slow that too many lines would be kept', async () => {
    const lines = 20_000;
    const child = logging(`
      const filler = 'x'.repeat(250);
      tell('begins');
      for (let line = 0; line < ${lines}; line += 1) log.info({ filler }, String(line));
      tell('ends');
    `);
    await once(child.stderr, 'data');
    const seen: Array<string> = [];
    child.stderr.on('data', (told: Buffer) => seen.push(told.toString()));
    await delay(300);
    expect(seen).to.deep.equal([]);
    const numbers = Array.from({ length: lines }, (_, line) => String(line));
    expect(messagesIn(await text(child.stdout))).to.deep.equal(numbers);
  });

  it('goes on when its reader has gone', async () => {
    const child = logging(`
      log.error('one');
      setTimeout(() => { for (const line of ['two', 'three']) log.error(line); tell('goes on'); }, 50);
    `);
    child.stdout.destroy();
    const exited = once(child, 'exit');
    expect(await text(child.stderr)).to.equal('goes on');
    expect(await exited).to.deep.equal([0, null]);
  });
});
