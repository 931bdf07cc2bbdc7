/** Uploaded files that run scripts or reach a server when a browser opens them. */
/** What happens when the code runs as a page, opened by its URL. */
export const hostilePage = (url: string) => `<!doctype html><title>as uploaded</title><body>
<script>
  document.documentElement.dataset.ran = "yes"
  try { document.cookie = "hostile=1; path=/" } catch {}
  fetch(${JSON.stringify(url)}, { mode: "no-cors" }).catch(() => {})
  new Image().src = ${JSON.stringify(url)}
  alert("ran")
</script>
<img src="${url}" onerror="alert('ran')"><meta http-equiv="refresh" content="0; url=${url}">
<form id="f" action="${url}" method="post"></form><a href="javascript:alert('ran')" autofocus onfocus="alert('ran')">x</a>
<iframe src="/"></iframe></body>`

export const hostilePicture = (
  url: string
) => `<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink"
  onload="document.documentElement.dataset.ran = 'yes'; alert('ran')">
<script>document.documentElement.dataset.ran = "yes"; alert("ran")</script>
<image x:href="${url}" width="9" height="9"/><foreignObject><body xmlns="http://www.w3.org/1999/xhtml">
<iframe src="${url}"></iframe></body></foreignObject></svg>`

export const hostileScript = `document.documentElement.dataset.ran = "yes"; alert("ran")`

/** XML with a stylesheet that turns it into a page. */
export const hostileTransform = `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="data:text/xsl,${encodeURIComponent(
  `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/">
<html><script>${hostileScript}</script></html></xsl:template></xsl:stylesheet>`
)}"?><x/>`

/** A page as a part of a MIME message, with its own headers. */
export const hostileParts = (page: string) =>
  `--part\r\nContent-Type: text/html\r\nSet-Cookie: hostile=1; Path=/\r\n\r\n${page}\r\n--part--\r\n`

/** A PDF that runs a script when it is opened. */
export const hostilePaper = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert("ran"))>>>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj
trailer<</Root 1 0 R>>
%%EOF`
