#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Looks at the HTML page of `pinfold report`: page.py FILE CHECK [TEXT].

A small parser, not a browser: it is enough to say that the page is well-formed, loads and runs
nothing, can be walked by a screen reader, and can be read in light and dark."""
import base64
import hashlib
import html.parser
import re
import sys

VOID = {'meta', 'link', 'br', 'hr', 'img', 'input', 'rect', 'path', 'circle'}


class Page(html.parser.HTMLParser):
    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.errors, self.words = [], [], [], []
        self.style = ''
        self.feed(source)
        self.close()
        if self.open:
            self.errors.append(f'never closed: {self.open}')

    def handle_starttag(self, tag, attrs):
        names = [a for a, _ in attrs]
        if len(names) != len(set(names)):
            self.errors.append(f'attribute twice in {tag}')
        self.tags.append((tag, dict(attrs), list(self.open)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs), list(self.open)))

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.errors.append(f'</{tag}> closes {self.open[-1:]}')
        else:
            self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == 'style':
            self.style += data
        elif data.strip():
            self.words.append(data)

    def all(self, tag):
        return [(a, inside) for t, a, inside in self.tags if t == tag]


def luminance(colour):
    colour = colour.lstrip('#')
    if len(colour) == 3:
        colour = ''.join(c * 2 for c in colour)
    parts = [int(colour[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    parts = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(a, b):
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def well_formed(page, source):
    assert not page.errors, page.errors
    assert source.startswith('<!DOCTYPE html>') and '<html lang="en">' in source
    ids = [a['id'] for _, a, _ in page.tags if 'id' in a]
    assert len(ids) == len(set(ids)), 'an id twice'
    for _, a, _ in page.tags:
        for key in ('aria-labelledby',):
            assert a.get(key) is None or a[key] in ids, a


def loads_nothing(page, _source):
    for tag, attrs, _ in page.tags:
        assert tag not in ('script', 'link', 'img', 'iframe', 'object', 'embed', 'form', 'base'), tag
        for key, value in attrs.items():
            assert not key.startswith('on') and key not in ('src', 'srcset', 'style'), (tag, key)
            if key in ('href', 'fill'):
                assert value.startswith(('#', 'url(#')), value
    assert 'url(' not in page.style and '@import' not in page.style and 'http' not in page.style


def one_style(page, _source):
    csp = [a['content'] for a, _ in page.all('meta')
           if a.get('http-equiv') == 'Content-Security-Policy'][0]
    digest = base64.b64encode(hashlib.sha256(page.style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in csp and "default-src 'none'" in csp, csp
    assert 'unsafe' not in csp and len(page.all('style')) == 1


def walkable(page, _source):
    for landmark in ('header', 'main', 'nav', 'footer'):
        assert len(page.all(landmark)) == 1, landmark
    assert len(page.all('table')) == len(page.all('caption')), 'a table without a caption'
    assert all('scope' in a for a, _ in page.all('th')), 'a heading without a scope'
    assert len(page.all('h1')) == 1
    levels = [int(t[1]) for t, _, _ in page.tags if re.fullmatch('h[1-6]', t)]
    assert all(b - a <= 1 for a, b in zip(levels, levels[1:])), levels
    for a, _ in page.all('svg'):
        assert a.get('aria-hidden') == 'true' or (a.get('role') == 'img' and a.get('aria-labelledby'))
    targets = {a['id'] for _, a, _ in page.tags if 'id' in a}
    assert all(a['href'][1:] in targets for a, _ in page.all('a'))


def readable(page, _source):
    schemes = re.findall(r':root\{([^}]*--bg[^}]*)\}', page.style)
    assert len(schemes) >= 3, 'light, dark and print'
    for scheme in schemes:
        colour = dict(re.findall(r'--(\w+):(#[0-9a-f]+)', scheme))
        for ground in ('bg', 'card', 'tint'):
            for ink in ('ink', 'soft', 'link', 'deny', 'would', 'allow'):
                ratio = contrast(colour[ground], colour[ink])
                assert ratio >= 4.5, (ground, ink, ratio)


def says(page, _source, text):
    assert any(text in w for w in page.words), text


def main():
    source = open(sys.argv[1], encoding='utf-8').read()
    globals()[sys.argv[2]](Page(source), source, *sys.argv[3:])


main()
