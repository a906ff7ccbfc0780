/** Pages that work without the built one. No script, and the style in a file of its own (CSP). */
export const PLAIN_STYLE = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; min-height: 100vh; display: grid;
  place-items: center; background: light-dark(#f6f7f9, #0e1116);
  color: light-dark(#1b2430, #e6eaf0) }
main { width: min(26rem, calc(100vw - 3rem)); padding: 2rem 0 }
h1 { font-size: 1.25rem; letter-spacing: -.01em; margin: 0 0 .75rem }
p { margin: 0 0 1.25rem; color: light-dark(#55606e, #9aa5b3) }
label { display: block; font-weight: 600; margin-bottom: .375rem }
input, button { font: inherit; box-sizing: border-box; width: 100%; border-radius: 8px;
  padding: .625rem .75rem; border: 1px solid light-dark(#c3cad4, #39424e);
  background: light-dark(#fff, #171b22);
  color: inherit }
button { margin-top: .75rem; border: 0; font-weight: 600; background: #2f5fd0; color: #fff }
:focus-visible { outline: 2px solid #5b8def; outline-offset: 2px }
code { display: block; padding: .625rem .75rem; border-radius: 8px;
  background: light-dark(#e9edf2, #1d232c) }
[role=alert] { color: light-dark(#b3261e, #ff8a80); font-weight: 600 }
`

export const NOT_BUILT_PAGE = plainPage(
  'The live page is not built yet',
  `<p>The broker runs; only its page is missing. Build it, then start the broker again:</p>
  <code>npm run build -w @bourse/dashboard</code>`,
)

export type SignInProblem = 'wrongToken' | 'tooManyTries'

const PROBLEMS: Readonly<Record<SignInProblem, string>> = {
  wrongToken: 'That is not the token. It is in the file the broker was started with.',
  tooManyTries: 'Too many wrong tokens come from your address. Wait a moment, then try again.',
}

export function signInPage(problem?: SignInProblem): string {
  const alert = problem === undefined ? '' : `<p role="alert">${PROBLEMS[problem]}</p>`
  return plainPage(
    'Sign in to bourse',
    `<p>This page shows every cluster and reservation, so it asks for the operator's token:
    the content of the broker's <b>--dashboard-token-file</b>.</p>${alert}
    <form method="post" action="/sign-in">
      <label for="token">Operator's token</label>
      <input id="token" name="token" type="password" required autofocus
        autocomplete="current-password" maxlength="1024">
      <button>Sign in</button>
    </form>`,
  )
}

function plainPage(title: string, content: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="/favicon.svg"><link rel="stylesheet" href="/plain.css"></head>
<body><main><h1>${title}</h1>${content}</main></body></html>`
}
