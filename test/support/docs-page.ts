import { readFile } from 'node:fs/promises';
import { loadDocsPage } from '../../src/http/openapi/docs-page.js';

/** Compressed once for all applications of a test. */
export const docsPage = loadDocsPage((file) => readFile(file));
