/** The script that runs a phone's own bundle in the document of a replay. */
import { mountPhone } from "../../phone/mountPhone.ts"

const script = document.currentScript instanceof HTMLScriptElement ? document.currentScript : undefined
const bundle = script?.dataset["bundle"]
const root = document.querySelector<HTMLElement>("#root")
if (bundle !== undefined && root !== null) {
  // An app's files were uploaded beside its bundle, or at the top of what was uploaded with it.
  mountPhone(root, bundle, [bundle.slice(0, bundle.lastIndexOf("/") + 1), "./"])
    .catch((error: unknown) => reportError(error))
    .finally(() => script?.removeAttribute("data-starting"))
}
