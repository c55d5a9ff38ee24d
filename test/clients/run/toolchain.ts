import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { MakeClient } from '../samples/client.js';
import type { Cell } from './table.js';

export const PACKAGE = path.resolve('test/clients');

/** How many lines of what a program has said are told. */
export const LINES_TOLD = 12;

/** Runs a program; rejects when it fails. */
export const run = promisify(execFile);

/** What a program that failed has written to its standard output; undefined where it did not fail. */
export const faultOf = (ran: Promise<unknown>): Promise<string | undefined> =>
  ran.then(
    () => undefined,
    (error: unknown) => (error as { stdout: string }).stdout, // reason: execFile adds it to what it throws
  );

/** Clients that are made of a sample; stopped once they are no longer needed. */
export type Made = { readonly makeClient: MakeClient; readonly stop: () => Promise<void> };

/** What a language brings to generate, compile and run a sample in it. */
export type Toolchain = {
  /** Resolves with why this machine cannot try it, or undefined. */
  readonly missing: () => Promise<string | undefined>;
  /** The version of a package; rejects where it has none. */
  readonly versionOf: (packageName: string) => Promise<string>;
  /** Runs the command of a package in the folder of a sample; rejects when it fails. */
  readonly run: (command: readonly [string, ...ReadonlyArray<string>], sample: string) => Promise<void>;
  /** What the compiler says of a sample, and of how it narrows events. */
  readonly compile: (sample: string) => Promise<{ readonly compiles: Cell; readonly narrows: Cell }>;
  readonly open: (sample: string, address: string) => Promise<Made>;
};
