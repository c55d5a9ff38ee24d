const PLACES = ['log', 'rows', 'files'];

/** What occurs in a run of a dozen seeds. */
export const OFTEN: ReadonlyArray<string> = [
  ...['is killed', 'is frozen', 'is upgraded'].map((fault) => `a service ${fault}`),
  ...['an answer of the log is lost', 'an answer of the rows is lost'],
  ...['POST 200', 'POST 503', 'PUT 200', 'GET 200'],
];

/** What occurs in a run of many seeds, or its lives try less than they should. */
export const MUST_OCCUR: ReadonlyArray<string> = [
  ...OFTEN,
  'PUT 503',
  ...['before it takes effect', 'after it took effect', 'with its answer on the way'].map(
    (moment) => `a service is killed at a call, ${moment}`,
  ),
  ...[
    'is frozen at a call until its lease has lapsed',
    'is frozen with an answer on its way',
    'is cut off from the log as it stores something',
    'gets late answers from the ledger',
    'writes rows late',
    'has its clock set ahead',
    'has its clock set back',
  ].map((fault) => `a service ${fault}`),
  ...['is restarted', 'goes back to the version before', 'has uploads end half-way'].map(
    (fault) => `a service ${fault}`,
  ),
  ...PLACES.flatMap((place) => [
    `a service is cut off from the ${place}`,
    `a service gets late answers from the ${place}`,
    `the ${place} ${place === 'log' ? 'is' : 'are'} away`,
    `the disk of the ${place} is full`,
    `an answer of the ${place} is lost`,
    `an answer of the ${place} is late`,
  ]),
  ...['log', 'rows'].map((place) => `a call to the ${place} takes effect after it was given up`),
  ...['a call to the log is made twice', 'an upload ends half-way'],
  ...['rebuild', 'rollback', 'verify', 'repair', 'sweep'].map((command) => `an operator begins a ${command}`),
  ...['rebuild', 'rollback', 'repair'].flatMap((command) => [
    `an operator is frozen in a ${command}`,
    `an operator is killed in a ${command}`,
    `an operator gets late answers in a ${command}`,
  ]),
  ...['begins', 'is killed in', 'is frozen in', 'gets late answers in'].map((what) => `an operator ${what} an erasure`),
  ...['owner', 'business', 'document'].map((kind) => `erased: ${kind}`),
  ...['Begun', 'Destroyed', 'FilesRemoved', 'RowsWritten', 'Recorded'].map((step) => `of an erasure: ${step}`),
  ...['business', 'document'].map((kind) => `at rest a ${kind} is erased`),
  ...['an erasure goes on where it was cut off', 'a history has erased events'],
  'a command is repeated whose event is erased',
  ...[
    'a rebuild has switched',
    'a rebuild has kept',
    'a rollback has switched',
    'a row was repaired',
    'files were swept',
  ],
  ...['GET 206', 'PUT 404', 'PUT 412', 'PUT 422', 'DELETE 200', 'an upload is cut', 'a file is read'],
  ...['a command is repeated', 'a command is sent twice at once', 'a key is used for another request, too'],
  ...['a record is changed as it was read', 'a change is not projected', 'an earlier state is read'],
  ...['a business', 'a document'].flatMap((record) => [
    `${record} is deleted`,
    `${record} is restored`,
    `${record} is reverted`,
  ]),
  ...['a file comes back', 'nothing is to be changed', 'POST 404', 'POST 412'],
  ...['a preview is given', 'a preview is out of date', 'what a preview foresees is done'],
  'the database is made anew',
  ...['a list has a next page', 'a feed is resumed', 'a feed has caught up', 'an event is proved'],
];
