import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';

/**
 * Asks on the terminal; only `y` or `yes` is yes. Rejects with the signal's reason when it aborts first. Ctrl-C interrupts
 * the command, as it does elsewhere.
 */
export const ask = async (question: string, signal: AbortSignal): Promise<boolean> => {
  signal.throwIfAborted();
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // a terminal that is read line by line gives the key instead of the signal
  terminal.on('SIGINT', () => process.emit('SIGINT'));
  try {
    const ended = once(terminal, 'close', { signal }).then(() => '');
    const answer = await Promise.race([terminal.question(`${question} [y/N] `, { signal }), ended]);
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    terminal.close();
  }
};
