import { makeCommandPool } from './command-pool.js';
import { databaseTrouble } from './database-trouble.js';
import type { ExitCode } from './exit-code.js';
import { failed } from './output.js';

export type CommandPool = ReturnType<typeof makeCommandPool>;

/** Uses two such connections, and ends with 1 and a line where the database does not work. */
export const withCommandPool = async (
  connectionString: string,
  name: string,
  use: (pool: CommandPool) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const pool = makeCommandPool(connectionString, name, 2);
  try {
    return await use(pool);
  } catch (error) {
    const trouble = databaseTrouble(error);
    if (trouble === undefined) throw error;
    return failed(trouble);
  } finally {
    await pool.end();
  }
};
