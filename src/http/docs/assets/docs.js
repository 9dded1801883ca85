// The page of the docs: Swagger UI below the guide. What the page learns of a key is in its memory, and nowhere else.

const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
follow();
dark.addEventListener('change', follow);

const reference = document.getElementById('swagger-ui');
const { description, exampleOrigin } = reference.dataset;

for (const code of document.querySelectorAll('pre code')) {
  code.textContent = code.textContent.replaceAll(exampleOrigin, location.origin);
}

/** A button beside a block of code that copies it; there is no clipboard where the page did not come by HTTPS. */
function copyButton(pre) {
  const button = document.createElement('button');
  const say = (text) => {
    button.textContent = text;
  };
  say('Copy');
  button.type = 'button';
  button.setAttribute('aria-live', 'polite');
  button.addEventListener('click', () =>
    navigator.clipboard.writeText(pre.textContent).then(
      () => say('Copied'),
      () => say('Not copied'),
    ),
  );
  button.addEventListener('blur', () => say('Copy'));
  return button;
}

if (navigator.clipboard) {
  for (const pre of document.querySelectorAll('section > pre')) {
    const box = document.createElement('div');
    box.className = 'copied';
    pre.replaceWith(box);
    box.append(pre, copyButton(pre));
  }
}

// The guide above says what these two would: the description's own words, and where the service is.
const withoutWhatIsAbove = () => ({
  wrapComponents: { InfoContainer: () => () => null, ServersContainer: () => () => null },
});

globalThis.SwaggerUIBundle({
  url: description,
  domNode: reference,
  presets: [globalThis.SwaggerUIBundle.presets.apis],
  plugins: [withoutWhatIsAbove],
  layout: 'BaseLayout',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
  validatorUrl: null,
});
