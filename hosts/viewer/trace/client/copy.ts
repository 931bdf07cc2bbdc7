import { parts } from "../../ui/dom.ts"

/** Copies a text; `false` if the browser doesn't allow that. */
export const copy = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

/** Lets the button of a section copy the message in it, where there is one. */
export const copyFrom = (section: HTMLElement, say: (text: string) => void): void => {
  for (const button of parts(section, "button.copy", HTMLButtonElement)) {
    button.hidden = section.querySelector("pre") === null
    button.addEventListener("click", () => {
      void copy(section.querySelector("pre")?.textContent ?? "").then((isCopied) => {
        say(isCopied ? "The message is copied" : "This browser doesn't allow that. Select the message to copy it.")
        button.textContent = isCopied ? "Copied" : "Not allowed"
      })
    })
  }
}
