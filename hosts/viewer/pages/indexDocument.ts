import { HttpServerResponse } from "effect/http"
import { html } from "ghtml"

/** The document in which a bundle runs; `script` is its URL relative to the document. */
export const indexDocument = (options: {
  readonly title: string
  readonly script: string
}): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
          <link rel="icon" href="data:," />
          <title>${options.title}</title>
          <style>
            html,
            body,
            #root {
              height: 100%;
              margin: 0;
            }
            #root {
              display: flex;
            }
          </style>
        </head>
        <body>
          <div id="root"></div>
          <script src="${options.script}"></script>
        </body>
      </html> `,
    { contentType: "text/html; charset=utf-8" }
  )
