import { writeFile } from 'node:fs/promises';
import { openApiDocument } from '../../../src/http/openapi/document.js';
import { promisesOf } from './promises.js';
import { servedTable } from './served-table.js';

// a line that goes by this is a promise that is broken: look at the difference before it is committed
const table = await servedTable();
await writeFile('test/fixtures/api/v1.txt', `${promisesOf(table, openApiDocument(table, '')).join('\n')}\n`);
