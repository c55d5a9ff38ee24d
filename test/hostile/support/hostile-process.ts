/** The hostile clients' own process: what they cost stays out of the process that measures. It is killed in the end. */
import type { Attack, FromHostileProcess, ToHostileProcess } from './attack.js';
import { attack, type Count } from './raw-client.js';

const count: Count = { opened: 0, closed: 0, bytesSent: 0, bytesRead: 0, outcomes: {} };

const send = (message: FromHostileProcess): void => void process.send?.(message);

const run = async ({ port, clients, connections, burst }: Attack): Promise<void> => {
  for (let first = 0; first < connections; first += burst) {
    const size = Math.min(burst, connections - first);
    const opening = Array.from({ length: size }, (_, index) =>
      // reason: an attack has clients
      attack(port, clients[(first + index) % clients.length]!, count),
    );
    await Promise.all(opening);
  }
  send({ _tag: 'Opened' });
};

process.on('message', (message: ToHostileProcess) => {
  if (message._tag === 'Begin') void run(message.attack);
  else send({ _tag: 'Report', tally: count });
});
process.once('disconnect', () => process.exit());
send({ _tag: 'Ready' });
