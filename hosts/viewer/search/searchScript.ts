/** Ctrl-K, or Cmd-K, goes to the search field; where there is none in sight, to the page of the search. */
addEventListener("keydown", (event) => {
  const { altKey, ctrlKey, key, metaKey, shiftKey } = event
  if (key.toLowerCase() !== "k" || ctrlKey === metaKey || altKey || shiftKey) return
  event.preventDefault()
  const fields = [...document.querySelectorAll<HTMLInputElement>('main input[name="q"], .top input[name="q"]')]
  const field = fields.toReversed().find((one) => one.checkVisibility())
  if (field === undefined) document.querySelector<HTMLAnchorElement>("a.search")?.click()
  field?.select()
})
