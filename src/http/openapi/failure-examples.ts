import type { JsonSchema } from '../fields/json-schema.js';

/** Answers to requests that fail, by their statuses, as a test compares them with what is answered. */
export const failureExamples: Readonly<Record<number, JsonSchema>> = {
  400: {
    name: 'Validation Error',
    message: 'The request is not valid',
    status: 400,
    code: 'validation_failed',
    requestId: 'a83b07d7-5463-4887-bb01-78da81b2362f',
    errors: [
      { path: 'netWorth', message: 'expected a finite number, or null' },
      { path: 'name', message: 'is required' },
    ],
  },
  401: {
    name: 'Unauthorized',
    message: 'A bearer token is required',
    status: 401,
    code: 'token_missing',
    requestId: '05c40ad6-0e26-49bc-999f-88d6aadd7470',
  },
  404: {
    name: 'Entity not found',
    message: 'Entity not found',
    status: 404,
    code: 'business_not_found',
    requestId: 'ce9c5cc8-02e9-410c-8203-d62ff9cb4375',
  },
  409: {
    name: 'Conflict',
    message: 'The user is an owner of the business already',
    status: 409,
    code: 'owner_exists',
    requestId: '228ee8be-f951-44ed-9be9-9a31909f9837',
  },
  412: {
    name: 'Precondition Failed',
    message: 'The conditions of the request (If-Match, If-None-Match) are not met',
    status: 412,
    code: 'precondition_failed',
    requestId: 'ae536b11-d687-4237-8bde-ba77125ce13f',
  },
  413: {
    name: 'Payload Too Large',
    message: 'The limit is 262144 bytes',
    status: 413,
    code: 'payload_too_large',
    requestId: 'dc876995-2790-4846-9540-416207a48de9',
  },
  415: {
    name: 'Unsupported Media Type',
    message: 'The body must be application/json',
    status: 415,
    code: 'unsupported_media_type',
    requestId: 'ceac8491-11b1-4ef5-be6b-d13fb968696a',
  },
  416: {
    name: 'Range Not Satisfiable',
    message: 'The file has 3 bytes',
    status: 416,
    code: 'range_not_satisfiable',
    requestId: '5fadbbb7-b3a0-40d2-9e6b-1e7792c26791',
  },
  422: {
    name: 'Idempotency Key Reused',
    message: 'The Idempotency-Key came with another body or Change-Reason before',
    status: 422,
    code: 'idempotency_key_reused',
    requestId: '86089d55-5838-435c-8827-43e00acae05e',
  },
  429: {
    name: 'Too Many Requests',
    message: 'Too many requests; try again later',
    status: 429,
    code: 'too_many_requests',
    requestId: '0b7f0a0e-9c4b-4e39-8b0c-3f6b0a0d7a55',
  },
  500: {
    name: 'Internal Server Error',
    message: 'Internal Server Error',
    status: 500,
    code: 'file_lost',
    requestId: '6d1c1a53-2b0e-4f7b-9a52-0a4f7d3b8c11',
  },
  503: {
    name: 'Service Unavailable',
    message: 'The service cannot answer right now; try again shortly',
    status: 503,
    code: 'file_storage_unavailable',
    requestId: 'f2a9d4c7-51e8-4b60-8f3d-7c2e9b1a6d04',
  },
};
