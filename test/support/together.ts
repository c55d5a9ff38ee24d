/** Has so many clients work at once; `client` counts from 0. */
export const together = <A>(clients: number, work: (client: number) => Promise<A>): Promise<ReadonlyArray<A>> =>
  Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
