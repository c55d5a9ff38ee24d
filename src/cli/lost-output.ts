import { errorCode } from '../infrastructure/error-code.js';
import { EXIT } from './exit-code.js';

/** Why standard output has not taken all that was written to it. */
let reason: 'its reader has gone' | 'it could not be written' | undefined;

/** Whether a part of what the command printed was lost: then nothing that it prints later makes the result whole. */
export const isOutputLost = (): boolean => reason !== undefined;

const onOutputError = (error: Error): void => {
  if (reason !== undefined) return;
  const isClosed = errorCode(error) === 'EPIPE';
  reason = isClosed ? 'its reader has gone' : 'it could not be written';
  // a reader that has gone, as with `| head`, wanted no more; anybody else takes what is there for all of it
  if (!isClosed)
    process.stderr.write(`standard output could not be written (${error.message}): what it has is not complete\n`);
};

/** What the command found, or did not do, is more than that its output was lost. */
const setExitCode = (): void => {
  if (reason === undefined || process.exitCode === EXIT.failed || process.exitCode === EXIT.usage) return;
  process.exitCode = reason === 'its reader has gone' ? EXIT.closed : EXIT.failed;
};

/** From now on a process whose output was lost says so and does not end with 0. Of lost notes nobody can be told. */
export const watchOutput = (): void => {
  process.stdout.on('error', onOutputError);
  process.stderr.on('error', () => undefined);
  process.on('exit', setExitCode);
};
