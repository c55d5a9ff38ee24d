import { Option } from 'commander';
import { EXIT, type ExitCode } from './exit-code.js';
import { isOutputLost } from './lost-output.js';
import { withMaskedAddresses } from './masked-address.js';

/** Without control characters, which move the cursor of a terminal: names come from tokens, databases and storages. */
export const harmless = (text: string): string => text.replace(/\p{C}/gu, '�');

/** The same, for a script: what JSON lets stand as it is becomes an escape, which is the same text. */
const harmlessJson = (json: string): string =>
  json.replace(/\p{C}/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );

/** Writes a result, which is all that standard output has: a script reads it. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Resolves when standard output has taken a part of a long result; false where it was lost (`watchOutput` says it). */
export const write = (text: string): Promise<boolean> =>
  new Promise((resolve) => {
    process.stdout.write(text, (error) => resolve(error === null || error === undefined));
  });

/** A text without the passwords of addresses on the command line: it may quote what was given in the wrong place. */
export const withoutPasswords = (text: string): string => withMaskedAddresses(text, process.argv.slice(2));

/** Writes a line that is no result to standard error: progress, or why something was not done. */
export const printNote = (text: string): void => void process.stderr.write(`${withoutPasswords(text)}\n`);

/** Says why a command did not do what it was asked. */
export const failed = (why: string): ExitCode => {
  printNote(why);
  return EXIT.failed;
};

/** Says how far a command came before it was interrupted; of lost output enough was said. */
export const interrupted = (how: string): ExitCode => {
  if (!isOutputLost()) printNote(`interrupted after ${how}`);
  return EXIT.interrupted;
};

export type JsonOption = { readonly json?: true };

/** `--json`. `lines` describes what standard output then has; docs/ops-json.md has the members. */
export const jsonOption = (lines: string): Option => new Option('--json', lines);

/** One line of a result for a person. */
export const printLine = (text: string): void => print(harmless(text));

/** One finding, as a person or as a machine reads it: an object is one line, a text as many as it is given. */
export const printFinding = ({ json }: JsonOption, text: string | ReadonlyArray<string>, object: object): void => {
  if (json === true) print(harmlessJson(JSON.stringify(object)));
  else for (const line of [text].flat()) printLine(line);
};
