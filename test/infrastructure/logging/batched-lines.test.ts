import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { batchedLines } from '../../../src/infrastructure/logging/batched-lines.js';
import { needs } from '../../support/needs.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { makeManualClock } from '../../support/manual-clock.js';

const children = new Set<ChildProcess>();

/** A process that logs: `log` is the service's logger, `tell` writes to standard error past it. */
const logging = (program: string): ChildProcess & { readonly stdout: Readable; readonly stderr: Readable } => {
  const preamble = `
    import { writeSync } from 'node:fs';
    import { makeLogger } from './src/infrastructure/logging/logger.ts';
    import { systemRuntime } from './src/infrastructure/system-runtime.ts';
    const log = makeLogger(systemRuntime.clock, 'info', process.stdout.isTTY);
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

  it('goes on when nobody reads, and says how many lines were lost once somebody does', async () => {
    const lines = 20_000;
    // 5 MB: more than is kept
    const child = logging(`
      const filler = 'x'.repeat(250);
      for (let line = 0; line < ${lines}; line += 1) log.info({ filler }, String(line));
      tell('goes on ' + log.linesLost());
    `);
    const [, , lost] = String(await once(child.stderr, 'data')).split(' ');
    expect(Number(lost)).to.be.within(1, lines - 1);
    const read = await text(child.stdout);
    expect(messagesIn(read)).to.have.length(lines - Number(lost) + 1);
    const said = { level: 40, lines: Number(lost), reason: 'EAGAIN: resource temporarily unavailable, write' };
    expect(JSON.parse(read.trimEnd().split('\n').at(-1) ?? '')).to.include(said);
  });

  it('ends though nobody reads', async () => {
    const child = logging(`log.info({ filler: 'x'.repeat(500_000) }, 'one'); process.exit(3);`);
    expect(await once(child, 'exit')).to.deep.equal([3, null]);
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

/** Lines to a disk of so many bytes that is filled by others, until `makeRoom`. */
const onFullDisk = (free: number) => {
  const clock = makeManualClock();
  const state = { free, written: '', told: new Array<{ readonly lines: number; readonly cause: unknown }>() };
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const put = (bytes: Uint8Array): number => {
    if (state.free === 0) throw full;
    const taken = Math.min(bytes.length, state.free);
    state.written += Buffer.from(bytes.subarray(0, taken)).toString();
    state.free -= taken;
    return taken;
  };
  const lines = batchedLines(clock, put, (lost) => void state.told.push(lost));
  const write = (text: string): void => {
    // as pino does, and at once
    lines.lastLevel = 50;
    lines.write(`${text}\n`);
  };
  const makeRoom = (): void => void (state.free = Infinity);
  return { clock, state, full, write, makeRoom, lost: lines.lost };
};

const BEYOND = 2000;

/** 2000 lines of 1 KB, of which 1 MiB is kept. */
const longLines = Array.from({ length: BEYOND }, (_, line) => `${String(line).padStart(4, '0')} ${'x'.repeat(1000)}`);

describe('log lines to a disk that is full', () => {
  it('are written later, whole, when there is room', () => {
    const { state, write, makeRoom, lost } = onFullDisk(6);
    for (const line of ['one', 'two', 'three']) write(line);
    expect(state.written).to.equal('one\ntw');
    makeRoom();
    write('four');
    expect(state.written).to.equal('one\ntwo\nthree\nfour\n');
    expect([lost(), state.told]).to.deep.equal([0, []]);
  });

  it('are kept up to 1 MiB, and the others counted and said once, when what was kept is written', () => {
    const { state, full, write, makeRoom, lost } = onFullDisk(0);
    for (const line of longLines) write(line);
    const kept = Math.floor(2 ** 20 / 1006);
    expect(lost()).to.equal(BEYOND - kept);
    expect(state.told).to.deep.equal([]);
    makeRoom();
    write('later');
    expect(state.written).to.equal([...longLines.slice(0, kept), 'later', ''].join('\n'));
    expect(state.told).to.deep.equal([{ lines: BEYOND - kept, cause: full }]);
    write('still');
    expect(state.told).to.have.length(1);
  });

  it('are said again when lines are lost again, those alone', () => {
    const { state, write, makeRoom, lost } = onFullDisk(0);
    for (const line of longLines) write(line);
    const before = lost();
    makeRoom();
    write('later');
    state.free = 0;
    for (const line of longLines) write(line);
    makeRoom();
    write('later');
    expect(state.told.map(({ lines }) => lines)).to.deep.equal([before, lost() - before]);
  });

  it('are tried again by themselves', async () => {
    const { clock, state, write, makeRoom } = onFullDisk(0);
    write('one');
    makeRoom();
    await clock.advance(99);
    expect(state.written).to.equal('');
    await clock.advance(1);
    expect(state.written).to.equal('one\n');
  });

  it('do not end the process of a real one', function () {
    needs(this, existsSync('/dev/full'), '/dev/full');
    const full = openSync('/dev/full', 'a');
    const lines = batchedLines(
      systemRuntime.clock,
      (bytes) => writeSync(full, bytes),
      () => undefined,
    );
    lines.lastLevel = 50;
    for (const line of longLines) lines.write(`${line}\n`);
    expect(lines.lost()).to.be.greaterThan(0);
  });
});
