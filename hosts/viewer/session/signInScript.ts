/**
 * Keeps the fragment of the address (`#t=12.4`, a moment) when people sign in, because browsers don't send fragments to
 * the server.
 */
import { part } from "../ui/dom.ts"

const form = part(document, "main form", HTMLFormElement)
form.addEventListener("submit", () => {
  const action = new URL(form.action)
  action.hash = location.hash
  form.action = action.href
})
