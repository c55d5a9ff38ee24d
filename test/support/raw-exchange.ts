import { connect } from 'node:net';

/** Sends bytes as they are, and gives all that comes back until the server closes. */
export const rawExchange = (baseUrl: string, ...pieces: ReadonlyArray<string | Buffer>): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect(Number(port), hostname);
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => (received += text));
    socket.on('close', () => resolve(received)).on('error', reject);
    for (const piece of pieces) socket.write(piece);
  });
