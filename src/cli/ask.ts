import { createInterface } from 'node:readline';

/**
 * Asks on the terminal; only `y` or `yes` is yes. Rejects with the signal's reason when it aborts first, and ends the
 * process's command as Ctrl-C does elsewhere when that is typed.
 */
export const ask = (question: string, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    const end = (): void => {
      signal.removeEventListener('abort', end);
      terminal.close();
      if (signal.aborted)
        reject(signal.reason as Error); // reason: every abort here is with an error
      else resolve(false);
    };
    if (signal.aborted) {
      end();
      return;
    }
    signal.addEventListener('abort', end);
    // a terminal that is read line by line gives the key instead of the signal
    terminal.on('SIGINT', () => process.emit('SIGINT'));
    terminal.on('close', end);
    terminal.question(`${question} [y/N] `, (answer) => {
      resolve(/^y(es)?$/i.test(answer.trim()));
      terminal.close();
    });
  });
