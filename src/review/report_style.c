/* SPDX-License-Identifier: MIT */
/* How the report looks: one column of text, tables that wrap, no colour that says something alone.
 * Contrasts are at least 4.5 to 1 on both grounds. */
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include <sha2.h>

#include "review/report_inner.h"

static const char STYLE[] =
    ":root{color-scheme:light dark;--bg:#faf9f6;--card:#fff;--ink:#22262b;--soft:#5a6069;"
    "--line:#e4e1d9;--link:#23597d;--deny:#a83a24;--would:#805600;--allow:#2b6a4a;--tint:#f2efe8}"
    "@media(prefers-color-scheme:dark){:root{--bg:#15171a;--card:#1c1f23;--ink:#e7e5e0;"
    "--soft:#a6abb3;--line:#31363c;--link:#8fc1e3;--deny:#f2917d;--would:#e3b863;--allow:#8accaa;"
    "--tint:#23272c}}"
    "*{box-sizing:border-box}"
    "html{-webkit-text-size-adjust:100%;scroll-padding-top:1rem}"
    "body{margin:0;background:var(--bg);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,"
    "\"Segoe UI\",Roboto,\"Noto Sans\",\"DejaVu Sans\",sans-serif}"
    "header,main,footer,nav{max-width:66rem;margin:0 auto;padding:0 1.5rem}"
    "header{padding-top:3rem}"
    "h1{font-size:1.9rem;line-height:1.2;margin:0 0 .5rem;font-weight:650;letter-spacing:-.01em}"
    "h2{font-size:1.3rem;line-height:1.3;margin:0 0 .75rem;font-weight:650}"
    "p{margin:0 0 1rem;max-width:44rem}"
    "a{color:var(--link)}a:focus-visible,summary:focus-visible{outline:3px solid var(--link);"
    "outline-offset:2px;border-radius:2px}"
    ".skip{position:absolute;left:-100vw}.skip:focus{left:1rem;top:1rem;background:var(--card);"
    "padding:.5rem 1rem;z-index:1}"
    ".soft,small,figcaption{color:var(--soft)}small{display:block;font-size:.82em;line-height:1.4}"
    "nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:0;padding:.75rem "
    "0;list-style:none;"
    "border-top:1px solid var(--line);border-bottom:1px solid var(--line);font-size:.95rem}"
    "nav a{display:inline-block;padding:.25rem 0}"
    ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(10rem,1fr));gap:1rem;"
    "margin:1.75rem 0;padding:0}"
    ".tiles>div{background:var(--card);border:1px solid var(--line);border-top:4px solid "
    "var(--soft);"
    "border-radius:.5rem;padding:.9rem 1.1rem 1rem}"
    ".tiles dt{color:var(--soft);font-size:.92rem}"
    ".tiles dd{margin:0;font-size:1.85rem;line-height:1.25;font-weight:600;"
    "font-variant-numeric:tabular-nums}"
    ".tiles .deny{border-top-color:var(--deny)}.tiles .would{border-top-color:var(--would);"
    "border-top-style:dashed}.tiles .allow{border-top-color:var(--allow)}"
    "section{margin:2.75rem 0}"
    "h3{font-size:1.02rem;margin:1.75rem 0 .5rem;font-weight:650}"
    "table{width:100%;table-layout:fixed;border-collapse:collapse;font-size:.93rem;margin:0 0 "
    "1.75rem;"
    "background:var(--card);border:1px solid var(--line);border-radius:.5rem;overflow:hidden}"
    "caption{text-align:left;font-weight:650;padding:0 0 .5rem}"
    "caption small{font-weight:400;display:inline;margin-left:.35rem}"
    "th,td{text-align:left;vertical-align:top;padding:.5rem .75rem;border-top:1px solid "
    "var(--line);"
    "overflow-wrap:anywhere}"
    "thead th{border-top:0;color:var(--soft);font-weight:500;font-size:.92em;"
    "background:var(--tint);white-space:nowrap}"
    "tbody th{font-weight:500}tbody th small{font-weight:400}"
    "thead .mono{font-family:inherit}.why thead th:first-child{width:34%}"
    "tbody tr:first-child>*{border-top:0}"
    ".n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums;width:6.5rem}"
    ".t{white-space:nowrap;font-variant-numeric:tabular-nums;width:10rem}"
    ".v{width:8.5rem}.phone{display:none}"
    ".mono,code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\","
    "monospace;font-size:.92em}"
    ".mono small{font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto Sans\","
    "\"DejaVu Sans\",sans-serif}"
    "code{background:var(--tint);border:1px solid var(--line);border-radius:.25rem;padding:.05em "
    ".35em;"
    "overflow-wrap:anywhere}"
    "b.deny{color:var(--deny)}b.would{color:var(--would)}b.allow{color:var(--allow)}"
    "b.deny,b.would,b.allow{font-weight:600}"
    ".bar{display:block;width:100%;height:4px;margin-top:.3rem;fill:var(--soft);opacity:.55}"
    ".none{color:var(--soft);font-style:italic}"
    "figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:.5rem;"
    "padding:1rem 1.1rem}"
    "figure .plot{display:block;width:100%;height:11rem}"
    ".ends,.peak{display:flex;justify-content:space-between;gap:1rem;font-size:.85rem;"
    "color:var(--soft);font-variant-numeric:tabular-nums}.ends{margin-top:.35rem}"
    ".peak{margin:0 0 .35rem;max-width:none;flex-wrap:wrap}"
    "figcaption{font-size:.9rem;margin-top:.75rem;display:flex;flex-wrap:wrap;gap:.35rem 1.25rem}"
    ".key{display:inline-flex;align-items:center;gap:.4rem}.key svg{width:1.1rem;height:.8rem}"
    ".grid{stroke:var(--line);stroke-width:1}.axis{stroke:var(--soft);stroke-width:1}"
    ".fd{fill:var(--deny)}.fw{fill:var(--would)}.fa{fill:var(--allow)}"
    ".sw{stroke:var(--would);stroke-width:2}.sa{stroke:var(--allow);stroke-width:1.2}"
    ".ga{fill:var(--card)}"
    "details{margin-top:.75rem}summary{cursor:pointer;color:var(--link);padding:.25rem 0}"
    "details table{margin-top:.75rem}"
    "ol.todo{list-style:none;margin:0;padding:0;display:grid;gap:1rem}"
    "ol.todo>li{background:var(--card);border:1px solid var(--line);border-left:4px solid "
    "var(--link);"
    "border-radius:.5rem;padding:.9rem 1.1rem}"
    "ol.todo h3{margin:0 0 .25rem}ol.todo p{margin:0 0 .5rem}"
    "ol.todo ul{margin:.25rem 0 0;padding:0;list-style:none}ol.todo li li{margin:.2rem 0}"
    "footer{padding-top:1.25rem;padding-bottom:3rem;border-top:1px solid var(--line);"
    "font-size:.9rem;color:var(--soft)}"
    "@media(max-width:44rem){header,main,footer,nav{padding-left:1rem;padding-right:1rem}"
    "header{padding-top:1.75rem}h1{font-size:1.55rem}section{margin:2.25rem 0}"
    ".opt{display:none}th,td{padding:.45rem "
    ".5rem}table{font-size:.88rem}td.mono,th.mono{font-size:.8em}"
    ".n{width:4.25rem}.v{width:5.5rem}.phone{display:block}.why thead th:first-child{width:auto}"
    "thead th,thead .n{white-space:normal;overflow-wrap:normal}"
    ".tiles{grid-template-columns:1fr 1fr;gap:.75rem}.tiles dd{font-size:1.5rem}"
    "figure .plot{height:8rem}.ends span:nth-child(2){display:none}}"
    "@media "
    "print{:root{color-scheme:light;--bg:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#bbb;--"
    "link:#000;"
    "--deny:#8c2a17;--would:#6b4800;--allow:#1f5439;--tint:#fff}body{font-size:10pt}nav,.skip,"
    "summary{display:none}header{padding-top:0}section{margin:1.5rem 0}tr,li,figure,.tiles>div{"
    "break-inside:avoid}h2,h3,caption{break-after:avoid}thead{display:table-header-group}"
    ".tiles{grid-template-columns:repeat(4,1fr)}ol.todo{display:block}ol.todo>li{margin-bottom:."
    "75rem}"
    "table{font-size:8pt}td small{display:none}.n{width:3.75rem}.t{width:7.25rem}.v{width:5rem}"
    "a{text-decoration:none}table{overflow:visible}@page{margin:16mm}}"
    "@media(prefers-contrast:more){:root{--soft:var(--ink);--line:var(--ink)}}";

const char *report_style(void)
{
	return STYLE;
}

static const char BASE64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void report_style_hash(char ret[static REPORT_HASH_MAX])
{
	uint8_t sum[SHA256_DIGEST_LENGTH + 1] = { 0 }; /* 33 bytes: eleven groups of three */
	SHA2_CTX context;
	size_t used = 0;

	SHA256Init(&context);
	SHA256Update(&context, (const uint8_t *)STYLE, strlen(STYLE));
	SHA256Final(sum, &context);
	for (size_t i = 0; i < sizeof(sum); i += 3) {
		uint32_t group = (uint32_t)sum[i] << 16 | (uint32_t)sum[i + 1] << 8 | sum[i + 2];

		for (int shift = 18; shift >= 0; shift -= 6)
			ret[used++] = BASE64[group >> shift & 0x3f];
	}
	ret[used - 1] = '='; /* the last byte was not there */
	ret[used] = '\0';
}
