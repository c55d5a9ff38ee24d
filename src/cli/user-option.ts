import { userInfo } from 'node:os';
import { InvalidArgumentError, Option } from 'commander';
import { isActor } from '../application/actor.js';

const userArgument = (text: string): string => {
  if (!isActor(text)) throw new InvalidArgumentError('Give the name of a user, of at most 255 characters.');
  return text;
};

/** The user of the operating system; a container may run under a number without a name. */
const osUser = (): string => {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
};

export type UserOption = { readonly user: string };

/** `--user`, for commands that record a decision in the log. */
export const userOption = (meaning = 'who decides; kept in the log'): Option =>
  new Option('--user <name>', meaning).argParser(userArgument).default(osUser());

const READS = 'who reads; kept in the record of reads';

/** The same for commands that hand out history, which is recorded. */
export const readingUserOption = (): Option => userOption(READS);

export type ReaderOption = { readonly reader: string };

/** The same as `--reader`, for those whose `--user` narrows what they show. */
export const readerOption = (): Option =>
  new Option('--reader <name>', READS).argParser(userArgument).default(osUser());
