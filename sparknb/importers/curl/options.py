"""Every option of curl up to 8.22, and what becomes of it here (ST-93).

Names, letters and which take a value are facts about curl; a test compares them with
the curl of the machine.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import Literal

__all__ = ["LETTERS", "OPTIONS", "Option", "Treatment", "nearest"]

Treatment = Literal[
    "request",  # says something about the request
    "quiet",  # no effect on what a tool does
    "redirects",
    "output",
    "limits",
    "trust",
    "head",
    "form",
    "file",
    "next",
    "route",
    "credentials",
    "other",
]


@dataclass(frozen=True, slots=True)
class Option:
    """One option of curl.

    Attributes:
        name: Its long name, without dashes and without `no-`.
        letter: Its short name; empty when it has none.
        takes_value: The next word, or the rest of a short one, is its value.
        is_switch: `--no-NAME` exists.
        treatment: What becomes of it.
    """

    name: str
    letter: str
    takes_value: bool
    is_switch: bool
    treatment: Treatment


# `letter,name`, then `=` where it takes a value, `?` where `--no-name` exists too.
_TABLE: Mapping[Treatment, str] = {
    "request": """
        X,request= H,header= d,data= data-ascii= data-raw= data-binary=
        data-urlencode= json= G,get? url-query= u,user= basic? oauth2-bearer=
        b,cookie= A,user-agent= e,referer= r,range= url= g,globoff? m,max-time=
        max-filesize=
    """,
    "quiet": """
        s,silent? S,show-error? v,verbose? i,include? show-headers? f,fail?
        #,progress-bar? N,buffer? q,disable? j,junk-session-cookies? Z,parallel?
        0,http1.0 4,ipv4 6,ipv6 fail-with-body? fail-early? progress-meter?
        parallel-immediate? parallel-max= parallel-max-host=
        disallow-username-in-url? compressed? http1.1 http2 http2-prior-knowledge
        http3 raw? tr-encoding? trace= trace-ascii= trace-config= trace-ids?
        trace-time? stderr= styled-output? tcp-fastopen? tcp-nodelay? mptcp?
        keepalive? keepalive-cnt= keepalive-time= limit-rate= Y,speed-limit=
        y,speed-time= rate= expect100-timeout= ignore-content-length? http0.9?
        happy-eyeballs-timeout-ms=
    """,
    "redirects": """
        L,location? follow? max-redirs= post301? post302? post303?
        location-trusted?
    """,
    "output": """
        o,output= O,remote-name? J,remote-header-name? R,remote-time?
        D,dump-header= w,write-out= c,cookie-jar= output-dir= create-dirs?
        create-file-mode= clobber? skip-existing? remote-name-all? xattr?
        out-null? etag-save= libcurl= hsts= alt-svc= remove-on-error?
    """,
    "limits": """
        connect-timeout= retry= retry-all-errors? retry-connrefused? retry-delay=
        retry-max-time= noproxy= proto= proto-redir= proto-default= 1,tlsv1
        tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 tls-max= ciphers= tls13-ciphers= curves=
        sigalgs= ssl? ssl-allow-beast? ssl-auto-client-cert? ssl-no-revoke?
        ssl-reqd? ssl-revoke-best-effort? ssl-sessions= false-start? cert-status?
        ca-native? ech=
    """,
    "trust": "k,insecure? cacert= capath= crlfile=",
    "head": "I,head?",
    "form": "F,form= form-string= form-escape? T,upload-file= upload-flags=",
    "file": "K,config= n,netrc? netrc-file= netrc-optional? etag-compare= z,time-cond=",
    "next": ":,next",
    "route": """
        x,proxy= U,proxy-user= p,proxytunnel? proxy-anyauth? proxy-basic?
        proxy-ca-native? proxy-cacert= proxy-capath= proxy-cert= proxy-cert-type=
        proxy-ciphers= proxy-crlfile= proxy-digest? proxy-header= proxy-http2?
        proxy-http3? proxy-insecure? proxy-key= proxy-key-type= proxy-negotiate?
        proxy-ntlm? proxy-pass= proxy-pinnedpubkey= proxy-service-name=
        proxy-ssl-allow-beast? proxy-ssl-auto-client-cert? proxy-tls13-ciphers=
        proxy-tlsauthtype= proxy-tlspassword= proxy-tlsuser= proxy-tlsv1 proxy1.0=
        preproxy= socks4= socks4a= socks5= socks5-basic? socks5-gssapi?
        socks5-gssapi-nec? socks5-gssapi-service= socks5-hostname=
        suppress-connect-headers? haproxy-clientip= haproxy-protocol? local-port=
        resolve= connect-to= unix-socket= abstract-unix-socket= interface=
        dns-interface= dns-ipv4-addr= dns-ipv6-addr= dns-servers= doh-cert-status?
        doh-insecure? doh-url= request-target= path-as-is? ipfs-gateway=
    """,
    "credentials": """
        E,cert= cert-type= key= key-type= pass= pinnedpubkey= engine= digest?
        ntlm? ntlm-wb? negotiate? anyauth aws-sigv4= delegation= service-name=
        2,sslv2 3,sslv3 tlsuser= tlspassword= tlsauthtype= tls-earlydata?
        httpsig-algo= httpsig-headers= httpsig-key= httpsig-keyid= login-options=
        sasl-authzid= sasl-ir? krb= krb4=
    """,
    "other": """
        variable= C,continue-at= B,use-ascii? crlf? h,help V,version? M,manual?
        a,append? alpn? npn? sessionid? http3-only compressed-ssh? disable-eprt?
        disable-epsv? eprt? epsv? dump-ca-embed egd-file= random-file= ftp-account=
        ftp-alternative-to-user= ftp-create-dirs? ftp-method= ftp-pasv P,ftp-port=
        ftp-pret? ftp-skip-pasv-ip? ftp-ssl? ftp-ssl-ccc? ftp-ssl-ccc-mode=
        ftp-ssl-control? ftp-ssl-reqd? hostpubmd5= hostpubsha256= knownhosts=
        pubkey= ip-tos= vlan-priority= l,list-only? mail-auth= mail-from=
        mail-rcpt= mail-rcpt-allowfails? metalink? Q,quote= t,telnet-option=
        tftp-blksize= tftp-no-options?
    """,
}


def _read_entry(entry: str, treatment: Treatment) -> Option:
    bare = entry.rstrip("=?")
    letter, _, name = bare.rpartition(",")
    return Option(name, letter, entry[-1] == "=", entry[-1] == "?", treatment)


OPTIONS: Mapping[str, Option] = MappingProxyType(
    {
        option.name: option
        for treatment, entries in _TABLE.items()
        for option in (_read_entry(entry, treatment) for entry in entries.split())
    }
)
LETTERS: Mapping[str, Option] = MappingProxyType(
    {option.letter: option for option in OPTIONS.values() if option.letter}
)

_LONGEST_NAME = 40  # a longer one is no slip of the pen; and nearness costs time


def nearest(name: str) -> str | None:
    """Give the long name that was probably meant, or None.

    Args:
        name: What was written, without its dashes.
    """
    lowered = name.lower().replace("_", "-")
    if not lowered or len(lowered) > _LONGEST_NAME:
        return None
    if lowered in OPTIONS:
        return lowered
    longer = [known for known in OPTIONS if known.startswith(lowered)]
    if longer:
        return min(longer, key=len)
    return next(iter(get_close_matches(lowered, OPTIONS, n=1, cutoff=0.6)), None)
