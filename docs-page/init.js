// What the page at /docs adds to Swagger UI, which is in SwaggerUIBundle. The service sends this file as it is.
/* global SwaggerUIBundle, sessionStorage, document */

/** Swagger UI sends the fields of a form that were left empty, which would clear them in an update: leave them out. */
const leaveEmptyOut = () => ({
  wrapComponents: {
    ParameterIncludeEmpty:
      (Original, { React }) =>
      (props) =>
        React.createElement(Original, {
          ...props,
          isIncludedOptions: { ...props.isIncludedOptions, defaultValue: false },
        }),
  },
});

/** Generators of clients look for JSON first; who tries it by hand sends a file by its form. */
const showFormFirst = () => ({
  wrapComponents: {
    contentType:
      (Original, { React }) =>
      (props) =>
        React.createElement(Original, {
          ...props,
          contentTypes: props.contentTypes?.sortBy((mediaType) => mediaType !== 'multipart/form-data'),
        }),
  },
});

/** What most readers of an operation do not need is one line that opens: all errors, and the headers of either side. */
const fold = () => {
  const folded = (React, name, title, keys, ...content) =>
    React.createElement(
      'details',
      { className: `folded ${name}` },
      React.createElement('summary', {}, `${title}: ${[...keys].join(', ')}`),
      ...content,
    );

  const isError = (_, status) => Number(status) >= 400;

  const errorRow = (React, [status, response]) => {
    const example = response.getIn(['content', 'application/json', 'example']);
    return React.createElement(
      'div',
      { key: status },
      React.createElement('h5', {}, `${status} ${response.get('description')}`),
      example === undefined ? null : React.createElement('pre', {}, JSON.stringify(example.toJS(), null, 2)),
    );
  };

  const isHeader = (parameter) => parameter.get('in') === 'header';

  return {
    wrapComponents: {
      responses:
        (Original, { React }) =>
        (props) => {
          const errors = props.responses.filter(isError);
          return React.createElement(
            React.Fragment,
            {},
            React.createElement(Original, { ...props, responses: props.responses.filterNot(isError) }),
            errors.size === 0
              ? null
              : folded(
                  React,
                  'errors',
                  'Errors',
                  errors.keys(),
                  [...errors.entries()].map((entry) => errorRow(React, entry)),
                ),
          );
        },
      headers:
        (Original, { React }) =>
        (props) =>
          folded(React, 'response-headers', 'Headers', props.headers.keys(), React.createElement(Original, props)),
      parameters:
        (Original, { React }) =>
        (props) => {
          const headers = props.parameters.filter(isHeader);
          const names = headers.map((parameter) => parameter.get('name'));
          return React.createElement(
            React.Fragment,
            {},
            React.createElement(Original, { ...props, parameters: props.parameters.filterNot(isHeader) }),
            headers.size === 0
              ? null
              : folded(
                  React,
                  'request-headers',
                  'Headers that may be sent',
                  names,
                  React.createElement(Original, {
                    ...props,
                    parameters: headers,
                    operation: props.operation.delete('requestBody'),
                  }),
                ),
          );
        },
    },
  };
};

const TOKEN = 'token';

/** The token stays until the tab is closed, and no other tab sees it. */
const keepTokenForTab = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (original) => (authorized) => {
          original(authorized);
          sessionStorage.setItem(TOKEN, authorized.bearer.value);
        },
        logout: (original) => (names) => {
          original(names);
          sessionStorage.removeItem(TOKEN);
        },
      },
    },
  },
});

/** Beside the folder that this script is in, whatever a proxy has put before its path. */
const OPENAPI = new URL('../openapi.json', document.currentScript.src).href;

const page = SwaggerUIBundle({
  url: OPENAPI,
  dom_id: '#swagger-ui',
  validatorUrl: null,
  deepLinking: true,
  // the schemas are below the operations, closed
  defaultModelsExpandDepth: 0,
  plugins: [leaveEmptyOut, showFormFirst, fold, keepTokenForTab],
  onComplete: () => {
    const token = sessionStorage.getItem(TOKEN);
    if (token !== null) page.preauthorizeApiKey('bearer', token);
  },
});
