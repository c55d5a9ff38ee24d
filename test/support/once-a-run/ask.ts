/** Where the run that this process belongs to answers; the processes that run test files inherit it. */
export const ADDRESS = 'TEST_RUN_ADDRESS';

/** What a run makes once, whichever of its processes asks first. */
export type Asked = 'database' | 'build';

/** Asks the process that runs the tests, for one that is `like` another where that is said; rejects with what went wrong there. */
export const askRun = async (asked: Asked, like = ''): Promise<string> => {
  const address = process.env[ADDRESS];
  if (address === undefined) throw new Error(`only tests that mocha runs may ask for a ${asked}`);
  const response = await fetch(`${address}/${asked}/${like}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
};
