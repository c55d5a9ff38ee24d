import type { Clock } from '../event-sourcing/clock.js';
import { counted, type Noun } from './plural.js';
import { systemRuntime } from '../infrastructure/system-runtime.js';

/** Where progress is shown: standard error, or a test. */
type Terminal = {
  readonly isTerminal: boolean;
  /** Its width now: a window can be made larger or smaller. */
  readonly columns: () => number;
  readonly write: (text: string) => void;
  readonly clock: Pick<Clock, 'monotonic'>;
};

const standardError: Terminal = {
  isTerminal: process.stderr.isTTY,
  columns: () => process.stderr.columns,
  write: (text) => void process.stderr.write(text),
  clock: systemRuntime.clock,
};

/** How far a command is. */
type Progress = {
  /** `done` things so far; `share` of all of it (0 to 1), where that is known. */
  readonly report: (done: number, share?: number) => void;
  /** Leaves the line to what is printed next. */
  readonly end: () => void;
};

const BAR = 24;
/** Between two drawings, ms: on a terminal, and where each of them is a line of a log. */
const REDRAW = 100;
const LINE = 1_000;

const duration = (seconds: number): string => {
  const whole = Math.ceil(seconds);
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  return `${hours > 0 ? `${hours}:` : ''}${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
};

/** `verifying  42%  120000 events  31000/s  00:05 left` */
const plain = (what: string, thing: Noun, done: number, share: number | undefined, seconds: number): string => {
  const rate = Math.round(done / Math.max(seconds, 0.001));
  const soFar = `${counted(done, ...thing)}  ${rate}/s`;
  if (share === undefined || share <= 0) return `${what}  ${soFar}`;
  const left = duration((seconds * (1 - share)) / share);
  return `${what}  ${Math.floor(share * 100)}%  ${soFar}  ${left} left`;
};

const bar = (share: number): string => `[${'#'.repeat(Math.round(share * BAR)).padEnd(BAR, '.')}] `;

/** Of a terminal that nobody has told its width, as one without a window: it says 0. */
const USUAL_WIDTH = 80;

/** What fits in one line of a terminal, of which the last column stays free: a longer one would go on in the next. */
const fitting = (text: string, share: number | undefined, columns: number): string => {
  const drawn = share === undefined ? '' : bar(share);
  const width = columns > 0 ? columns : USUAL_WIDTH;
  return (drawn.length + text.length < width ? `${drawn}${text}` : text).slice(0, width - 1);
};

/**
 * A bar with rate and time left on a terminal, as much of it as fits in a line; otherwise one plain line a second; on standard error, so that standard
 * output is the command's own. The rate and the time left are those of the whole run so far.
 */
export const makeProgress = (
  what: string,
  thing: Noun = ['event'],
  { isTerminal, columns, write, clock }: Terminal = standardError,
): Progress => {
  const start = clock.monotonic();
  let drawn = start;
  let hasLine = false;

  return {
    report: (done, given) => {
      const time = clock.monotonic();
      if (time - drawn < (isTerminal ? REDRAW : LINE)) return;
      drawn = time;
      const share = given === undefined ? undefined : Math.min(1, Math.max(0, given));
      const text = plain(what, thing, done, share, (time - start) / 1000);
      hasLine = isTerminal;
      write(isTerminal ? `\r\u001b[2K${fitting(text, share, columns())}` : `${text}\n`);
    },
    end: () => {
      if (hasLine) write('\r\u001b[2K');
      hasLine = false;
    },
  };
};

/** How far a command is that has phases. */
type Phases = {
  readonly report: (phase: string, ...progress: Parameters<Progress['report']>) => void;
  readonly end: () => void;
};

/** Shows one progress bar for each phase. */
export const makePhases = (terminal: Terminal = standardError): Phases => {
  let current: string | undefined;
  let progress: Progress | undefined;
  const end = (): void => progress?.end();
  return {
    report: (phase, ...done) => {
      if (phase !== current) end();
      if (phase !== current || progress === undefined) progress = makeProgress(phase, undefined, terminal);
      current = phase;
      progress.report(...done);
    },
    end,
  };
};
